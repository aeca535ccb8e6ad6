// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
import fc from 'fast-check'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { watchLoop } from '../../../toolwire/test/loop-watch.js'
import { expectWithin, howMany } from '../../../toolwire/test/soak.js'
import { readDotenv } from '../../src/config/documents/dotenv.js'
import { readJsonc } from '../../src/config/documents/jsonc.js'
import { readToml } from '../../src/config/documents/toml.js'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()
const json = (text: string) => readJsonc(text).value
const toml = (text: string) => readToml(text).value

function orRefused(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return 'refused' // the two parsers use different error messages
  }
}

describe('a JSON text', () => {
  it('has the same value as with JSON.parse', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        expect(json(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('is either read or refused with a line, after any edit', () => {
    const text = '{ "a": [1, -2.5e3, "x\\u00e9\\"", true, null], // c\n "b": { "c": {}, }, /* d */ }'
    fc.assert(
      fc.property(
        fc.nat(text.length),
        fc.nat(3),
        fc.string({ unit: fc.constantFrom(...'{}[]",:/*\\\n1a '), maxLength: 3 }),
        (at, length, put) => {
          const broken = text.slice(0, at) + put + text.slice(at + length)
          try {
            expect(json(broken)).toBeTypeOf('object')
          } catch (thrown) {
            expect(thrown).toMatchObject({ name: 'ConfigError', line: expect.any(Number) })
          }
        },
      ),
      { numRuns: howMany(160, 2_000) },
    )
  })

  it.each([
    ['{\n"a": 1,\n"a": 2}', 3, /"a" is given twice/],
    ['{\n"a": 1,\n"\\u0061": 2}', 3, /given twice/],
    ['{"a": {"b": 1,\n"b": 2}}', 2, /given twice/],
    ['{\n"a": "hunter2', 2, /half-written/],
    ['{\n"a": {\n', 3, /half-written/],
    ['{"a":', 1, /half-written/],
    ['', 1, /half-written/],
    ['{"a" 1}', 1, /a colon is expected/],
    ['{"a": 1\n"b": 2}', 2, /a comma or } is expected/],
    ['{"a": hunter2}', 1, /put text in double quotes/],
    ["{'a': 1}", 1, /a key in double quotes/],
    ['{"a": 01}', 1, /not a JSON value/],
    ['{"a": "\\x"}', 1, /not valid JSON/],
    ['{"a": "tab\there"}', 1, /not valid JSON/],
    ['{"a": 1}\n}', 2, /after the end/],
    ['{,}', 1, /a key in double quotes/],
    ['[1,,2]', 1, /a value is expected/],
    ['{ /* no end', 1, /comment that begins here/],
    ['[]', 1, /an object is expected/],
    ['"hunter2"', 1, /an object is expected/],
    [`{"a":${'['.repeat(100)}${']'.repeat(100)}}`, 1, /deeper than 64/],
    [`{"a":${'['.repeat(500_000)}`, 1, /deeper than 64/],
  ])('%j is refused on line %j', (text, line, message) => {
    const read = () => json(text)
    expect(read).toThrow(message)
    expect(read).toThrow(expect.objectContaining({ line, message: expect.not.stringContaining('hunter2') }))
  })

  it('may have a key like __proto__, which is a plain key', () => {
    const value = json('{"__proto__": {"polluted": true}, "constructor": 1}')
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('maps paths to lines', () => {
    const { lineOf } = readJsonc('{\n"a/b": [\n1,\n{"c": "x\\n"}\n],\r\n"d": 2}')
    expect(['', '/a~1b', '/a~1b/0', '/a~1b/1/c', '/d', '/e'].map(lineOf)).toEqual([1, 2, 3, 4, 6, undefined])
    // These texts are not plain JSON, and their lines are known from the first pass.
    const commented = readJsonc('{ // …\n"a/b": [\n1,\n{"c": 1}\n],\n"d": 2}')
    expect(['/d', '/a~1b/1/c', '/a~1b/2', '/a~1b', ''].map(commented.lineOf)).toEqual([6, 4, undefined, 2, 1])
  })

  it.each(['', '// a comment'])('stores a long key once, however many values it contains: %j', (end) => {
    watchLoop()
    const text = `{"${'k'.repeat(25_000)}": [${'1,'.repeat(25_000)}1]}${end}`
    expect(readJsonc(text).lineOf('/none')).toBeUndefined()
  })
})

describe('a TOML text', () => {
  it.each([
    ['a = 1\nb = -2\nc = +3\nd = 1_000\ne = 0xff\nf = 0o17\ng = 0b101', { a: 1, b: -2, c: 3, d: 1000, e: 255, f: 15, g: 5 }],
    ['a = 1.5\nb = 1e3\nc = -0.25E-2', { a: 1.5, b: 1000, c: -0.0025 }],
    ['a = true\nb = false # no', { a: true, b: false }],
    ['a = "x\\ty\\"z\\u00e9\\U0001F600"', { a: 'x\ty"zé😀' }],
    ["a = 'C:\\dir'\nb = ''\nc = \"\"", { a: 'C:\\dir', b: '', c: '' }],
    ['a = """\none "two" \\\n   three"""', { a: 'one "two" three' }],
    ['a = """x"""""', { a: 'x""' }],
    ["a = '''\none\n'two'\\n'''", { a: "one\n'two'\\n" }],
    ['a = []\nb = [ [1, 2], ["x"], ]\nc = [\n1, # one\n2\n]', { a: [], b: [[1, 2], ['x']], c: [1, 2] }],
    ['a = { b = 1, "c d" = { e = [] }, f.g = 2 }', { a: { b: 1, 'c d': { e: [] }, f: { g: 2 } } }],
    ['a.b.c = 1\na.d = 2\n"x.y".z = 3', { a: { b: { c: 1 }, d: 2 }, 'x.y': { z: 3 } }],
    ['[a]\nb = 1\n[a.c]\nd = 2\n[ "e f" . g ]\nh = 3', { a: { b: 1, c: { d: 2 } }, 'e f': { g: { h: 3 } } }],
    ['[a.b]\nc = 1\n[a]\nd = 2', { a: { b: { c: 1 }, d: 2 } }],
    ['[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3', { a: [{ b: 1 }, { b: 2, c: { d: 3 } }] }],
    [
      'a = 2024-05-01T10:00:00Z\nb = 2024-05-01 10:00:00\nc = 10:00:00',
      { a: '2024-05-01T10:00:00Z', b: '2024-05-01 10:00:00', c: '10:00:00' },
    ],
    ['a = 1\r\n\r\n[b]\r\nc = """\r\nx\r\ny"""\r\n', { a: 1, b: { c: 'x\ny' } }],
    ['', {}],
    ['# nothing', {}],
  ])('%j is read', (text, value) => {
    expect(toml(text)).toEqual(value)
  })

  it.each([
    ['a = 1\na = 2', 2, /given twice/],
    ['[a]\n[b]\n[a]', 3, /given twice/],
    ['a = { b = 1 }\n[a.c]', 2, /given twice/],
    ['a = 1\n[a]', 2, /given twice/],
    ['a = 1\na.b = 1', 2, /given twice/],
    ['a = { b = 1, b = 2 }', 1, /given twice/],
    ['a = hunter2', 1, /put text in quotes/],
    ['a = 01', 1, /not a TOML value/],
    ['a = 1 b = 2', 1, /text after the end of the value/],
    ['a = "hunter2', 1, /half-written/],
    ['a = "hunter2\n"', 1, /half-written/],
    ['a = """hunter2', 1, /half-written/],
    ['a =', 1, /half-written/],
    ['a', 1, /an = is expected/],
    ['\n[a', 2, /\] is expected/],
    ['a = [1 2]', 1, /a comma or ]/],
    ['a = [1', 1, /a comma or ]/],
    ['a = "\\q"', 1, /two backslashes/],
    ['a = "\\ud800"', 1, /not a character/],
    [`a = ${'['.repeat(100_000)}`, 1, /deeper than 64/],
    [`a = ${'{a='.repeat(100_000)}`, 1, /deeper than 64/],
    [`${'a.'.repeat(100_000)}a = 1`, 1, /deeper than 64/],
  ])('%j is refused on line %j', (text, line, message) => {
    const read = () => toml(text)
    expect(read).toThrow(message)
    expect(read).toThrow(expect.objectContaining({ line, message: expect.not.stringContaining('hunter2') }))
  })

  it('preserves any quoted text, in either kind of quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, key) => {
        expect(toml(`${JSON.stringify(key)} = ${JSON.stringify(text)}`)).toEqual({ [key]: text })
      }),
    )
  })

  it('is read as by smol-toml, which follows the specification: each table is defined once', () => {
    const key = fc.constantFrom('a', 'b', 'c')
    const keys = fc.array(key, { minLength: 1, maxLength: 3 }).map((each) => each.join('.'))
    const value = fc.constantFrom('1', '"x"', '[]', '[{}]', '[1, { a = 2 }]', '{}', '{ a = 1 }', '{ a.b = 1, a.c = 2 }')
    const line = fc.oneof(
      fc.tuple(keys, value).map(([name, what]) => `${name} = ${what}`),
      keys.map((name) => `[${name}]`),
      keys.map((name) => `[[${name}]]`),
    )
    const texts = fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(texts, (text) => {
        const [ours, theirs] = [orRefused(() => toml(text)), orRefused(() => parseToml(text))]
        // smol-toml allows dotted keys that extend a table of a [[header]].
        if (ours !== 'refused' || !text.includes('[[')) expect(ours).toEqual(theirs)
      }),
      { numRuns: howMany(800, 100_000), seed: 14 },
    )
  })

  it('may contain control characters that smol-toml also allows', () => {
    for (const character of Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code).replace(/["'\\]/, ''))) {
      const quoted = ['"', "'", '"""'].map((quote) => `a = ${quote}x${character}y${quote}`)
      for (const text of [...quoted, `a = 1 # x${character}y`, `#${character}`, `a = 1${character}`])
        expect([text, orRefused(() => toml(text))]).toEqual([text, orRefused(() => parseToml(text))])
    }
  })

  it.each([
    '2024-13-01',
    '2024-01-32',
    '2024-00-10',
    '24:00:00',
    '10:60:00',
    '2024-01-01T10:00:61Z',
  ])('may not contain a date such as %s', (text) => expect(() => toml(`a = ${text}`)).toThrow(/not a TOML value/))

  it('maps paths to lines', () => {
    const { lineOf } = readToml('x = 1\n[a."b/c"]\nd.e = 1\n[[l]]\nf = 1\n[[l]]\nf = 2\n[l.m]\ng = 3')
    const places = ['', '/x', '/a/b~1c', '/a/b~1c/d/e', '/l', '/l/0/f', '/l/1/f', '/l/m/g', '/l/0', '/y']
    expect(places.map(lineOf)).toEqual([1, 1, 2, 3, 6, 5, 7, 9, undefined, undefined])
  })

  it.each([
    ['lists with tables', '[[a]]\n[a.b]\n'.repeat(20_000)],
    ['a long key', `[${'k'.repeat(25_000)}]\n${Array.from({ length: 25_000 }, (_, at) => `a${at}=1\n`).join('')}`],
  ])('may be hostile: %s', (_, text) => {
    watchLoop()
    expect(readToml(text).lineOf('/none')).toBeUndefined()
  })

  it('is read in linear time', () => {
    const text = Array.from({ length: 40_000 }, (_, index) => `[t.k${index}]\na = "${index}"\n`).join('')
    const begun = performance.now()
    expect(readToml(text).lineOf('/t/k39999/a')).toBe(80_000)
    expectWithin(performance.now() - begun, 3_000)
  })
})

describe('an env file', () => {
  it('preserves quoted values', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab #=\n\\"$`') }), (text) => {
        expect(readDotenv(`A='x'\nB=${JSON.stringify(text)}\nC=1`)).toEqual({ A: 'x', B: text, C: '1' })
      }),
    )
  })

  it('may be hostile', () => {
    expect(Object.keys(readDotenv('__proto__=1\n'))).toEqual(['__proto__'])
    expect(() => readDotenv(`A="${'\n'.repeat(90_000)}`)).toThrow(/closing/)
  })

  it('is refused with too many lines, so that no variable is dropped', () => {
    expect(readDotenv(`${'\n'.repeat(99_999)}A=1`)).toEqual({ A: '1' })
    expect(() => readDotenv(`${'\n'.repeat(100_000)}A=1`)).toThrow(/more than 100000 lines/)
  })

  it('may have comments after a blank, read in one pass', () => {
    watchLoop()
    expect(readDotenv(`A=x#y # z\nB=# z\nC=#\nD=a\t#${' #'.repeat(100_000)}\u2028`)).toEqual({ A: 'x#y', B: '', C: '', D: 'a' })
  })
})

describe('a file', () => {
  it.each([
    ['\ufeff{}', /mcp\.json:1: begins with a byte order mark/],
    [`{"mcpServers": {}, "x": "${'y'.repeat(4 * 1024 * 1024)}"}`, /mcp\.json: cannot be read: is larger than 4194304 bytes/],
    ['{"mcpServers": {"a": {"url"', /mcp\.json:1: .*half-written/],
  ])('that no config can have is refused', async (text, message) => {
    await expect(folder.load(text)).rejects.toThrow(message)
  })

  it('that is not UTF-8, a folder, or missing is refused', async () => {
    const path = await folder.write('x.json', '')
    await (await import('node:fs/promises')).writeFile(path, Buffer.from([0x7b, 0xff, 0x7d]))
    const { loadConfig } = await import('../../src/config/index.js')
    await expect(loadConfig(folder.options({ path }))).rejects.toThrow(/x\.json: cannot be read: is not UTF-8/)
    await expect(loadConfig(folder.options({ path: folder.path }))).rejects.toThrow(/cannot be read: is a folder/)
    await expect(loadConfig(folder.options({ path: folder.at('none.json') }))).rejects.toThrow(
      /none\.json: cannot be read: ENOENT/,
    )
  })

  it('of just under 4 MiB is read quickly', async () => {
    const servers = Array.from({ length: 2_000 }, (_, index) => [`s${index}`, { command: 'x', args: ['y'.repeat(1_900)] }])
    const begun = performance.now()
    const { upstreams } = await folder.load(JSON.stringify({ mcpServers: Object.fromEntries(servers) }))
    expect(upstreams).toHaveLength(2_000)
    expectWithin(performance.now() - begun, 3_000)
  })
})
