import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseArgument, parseArguments, readArguments } from '../../src/cli/arguments/read-arguments.js'
import { readValue } from '../../src/cli/arguments/read-value.js'
import { commandHere } from '../support/command-here.js'
import { clean, folder } from '../support/run-program.js'

const here = { cwd: process.cwd() }
const name = fc.string({ minLength: 1 }).filter((text) => !text.includes('=') && !text.endsWith(':'))

describe('typed arguments', () => {
  it('return the JSON after :=', async () => {
    await fc.assert(
      fc.asyncProperty(name, fc.jsonValue(), async (key, value) => {
        const json = JSON.stringify(value)
        expect(await readArguments([`${key}:=${json}`], {}, here)).toEqual(Object.fromEntries([[key, JSON.parse(json)]]))
      }),
    )
  })

  it('return the text after =, whatever it is, with a second @ before one', async () => {
    await fc.assert(
      fc.asyncProperty(name, fc.string({ unit: 'binary' }), async (key, text) => {
        const typed = text.startsWith('@') ? `@${text}` : text
        expect(await readArguments([`${key}=${typed}`], {}, here)).toEqual(Object.fromEntries([[key, text]]))
      }),
    )
  })

  it('return a number if the schema wants one', async () => {
    await fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true })), (number) => {
        const type = Number.isInteger(number) && !String(number).includes('e') ? 'integer' : 'number'
        const text = String(number)
        const expected = Number.isInteger(number) && !Number.isSafeInteger(number) ? undefined : { value: Number(text) }
        if (expected) expect(readValue(text, { type })).toEqual(expected)
        else expect(readValue(text, { type })).toHaveProperty('wrong')
      }),
    )
  })

  it('cause only readable errors', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (words) => {
        try {
          for (const { name: key, text } of parseArguments(words)) expect([key.length > 0, typeof text]).toEqual([true, 'string'])
        } catch (thrown) {
          expect(thrown).toMatchObject({ name: 'CommandError', exitCode: 2 })
        }
      }),
    )
  })

  it.for([
    ['a=b=c', { name: 'a', form: 'text', text: 'b=c' }],
    ['a:b=c', { name: 'a:b', form: 'text', text: 'c' }],
    ['a:=1', { name: 'a', form: 'json', text: '1' }],
    ['a=@file', { name: 'a', form: 'text-file', text: 'file' }],
    ['a:=@file', { name: 'a', form: 'json-file', text: 'file' }],
    ['a=@@b', { name: 'a', form: 'text', text: '@b' }],
    ['a=', { name: 'a', form: 'text', text: '' }],
  ] as const)('%s is parsed into name, form and text', ([word, meant]) => expect(parseArgument(word)).toEqual(meant))

  it.for(['', 'a', '=b', ':=1'])('"%s" is not an argument, and is refused', (word) =>
    expect(() => parseArgument(word)).toThrow(/Write name=value/))

  it('may be given only once', () => expect(() => parseArguments(['a=1', 'a:=2'])).toThrow('"a" is given twice'))

  it('keep a name that every object has', async () => {
    const args = await readArguments(['__proto__=x', 'constructor=y'], {}, here)
    expect(Object.entries(args)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
  })
})

describe('the schema', () => {
  it.for([
    [{ type: 'boolean' }, 'true', true],
    [{ type: ['integer', 'null'] }, 'null', null],
    [{ anyOf: [{ type: 'number' }, { type: 'null' }] }, '2.5', 2.5],
    [{ enum: [1, 2, 'three'] }, '2', 2],
    [{ oneOf: [{ const: 'a', title: 'A' }] }, 'a', 'a'],
    [{ type: 'string' }, '007', '007'],
    [{ type: ['string', 'integer'] }, '7', '7'],
    [{ type: 'array' }, '[1,2]', [1, 2]],
    [{ type: 'object' }, '{"a":1}', { a: 1 }],
    [{}, '7', '7'],
    [undefined, 'true', 'true'],
    [{ type: 'constructor' }, 'x', 'x'],
    [{ type: ['toString', 'integer'] }, '7', 7],
  ] as const)('%j reads %s as a value of its type', ([schema, text, value]) =>
    expect(readValue(text, schema as never)).toEqual({ value }))

  it.for([
    [{ type: 'integer' }, '1.5', 'must be a whole number'],
    [{ type: 'number' }, '', 'must be a number'],
    [{ type: 'number' }, '0x10', 'must be a number'],
    [{ type: 'integer' }, '9007199254740993', 'is a number too large to be sent exactly'],
    [{ type: 'boolean' }, 'yes', 'must be true or false'],
    [{ enum: ['dev', 'prod'] }, 'test', 'must be one of dev, prod'],
    [{ type: 'array' }, 'a,b', 'must be a list: write it as JSON, such as ["a","b"]'],
  ] as const)('%j says what is wrong with "%s"', ([schema, text, wrong]) =>
    expect(readValue(text, schema as never)).toEqual({ wrong }))
})

describe('files', () => {
  it('are read as text or as JSON, with and without surrounding arguments', async () => {
    using files = folder({ 'note.txt': 'line\n', 'size.json': '{"width":100}', 'all.json': '{"a":1,"note":"no"}' })
    const args = await readArguments(['note=@note.txt', 'size:=@size.json'], {}, { cwd: files.path, input: '@all.json' })
    expect(args).toEqual({ a: 1, note: 'line\n', size: { width: 100 } })
  })

  it('are read whole, with any byte order mark', async () => {
    using files = folder({ 'marked.txt': '\ufeffline' })
    expect(await readArguments(['a=@marked.txt'], {}, { cwd: files.path })).toEqual({ a: '\ufeffline' })
  })

  it.for([
    ['test', 'policy.yaml'],
    ['test', 'policy.yaml', '--gateway'],
    ['explain', 'policy.yaml', '--tool', 'x', '--gateway'],
  ])('with rules that are not UTF-8 are refused by policy %s', async (words) => {
    using files = folder()
    const { writeFileSync } = await import('node:fs')
    writeFileSync(`${files.path}/policy.yaml`, Buffer.from('default: deny\nrules: [] # jürgen', 'latin1'))
    const { code, stderr } = await commandHere(['policy', ...words], { env: clean(files.path), cwd: files.path })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is not UTF-8; save it as UTF-8') })
  })

  it.for([
    [['a=@nowhere'], 'The file nowhere cannot be read. Check the path'],
    [['a=@picture'], 'The file picture is not text. Encode it first'],
    [['a:=@marked'], /^The JSON of a in marked cannot be read: begins with a byte order mark/],
    [['a:={'], /^The JSON of a cannot be read/],
  ] as const)('with the argument %j cause a readable error', async ([words, message]) => {
    using files = folder()
    const { writeFileSync } = await import('node:fs')
    writeFileSync(`${files.path}/picture`, Buffer.from([0xff, 0xfe, 0xff]))
    writeFileSync(`${files.path}/marked`, '\ufeff{}')
    await expect(readArguments(words, {}, { cwd: files.path })).rejects.toThrow(message)
  })
})
