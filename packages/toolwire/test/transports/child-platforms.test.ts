// Platform-specific behaviour, as far as it can be tested on any platform.
import { describe, expect, it } from 'vitest'
import { environment } from '../../src/transports/stdio/client/child/environment.js'
import { batchLine, executable, quoteArgument } from '../../src/transports/stdio/client/child/executable.js'

/** Parses a line like cmd.exe: carets escape the next character, and an unescaped special character is an error. */
function readByCmd(line: string): string {
  let read = ''
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!
    if (character === '^' && !isQuoted) {
      read += line[++at] ?? ''
      continue
    }
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && '&|<>()%!'.includes(character)) throw new Error(`${character} would be obeyed in: ${line}`)
    read += character
  }
  return read
}

describe('quoting for cmd.exe', () => {
  it.each([
    ['plain', '"plain"'],
    ['', '""'],
    ['two words', '"two words"'],
    ['say "hi"', '"say \\"hi\\""'],
    ['C:\\folder\\', '"C:\\folder\\\\"'],
    ['a\\"b', '"a\\\\\\"b"'],
    ['a\\b', '"a\\b"'],
  ])('quotes %j', (argument, expected) => {
    expect(quoteArgument(argument)).toBe(expected)
  })

  it.each([
    ['plain', 'two words', ''],
    ['a&calc', '"&calc&"', '%PATH%', '^', '!x!', '(a|b)>c<d'],
    ['{"json": "with \\"quotes\\" & 100%"}'],
    ['C:\\Program Files\\', 'trailing\\\\'],
  ])('preserves the arguments through both parsing passes: %j', (...args) => {
    const line = batchLine('C:\\Program Files\\nodejs\\npx.cmd', args)
    const inner = line.slice(1, -1)
    const once = readByCmd(inner)
    const file = 'C:\\Program Files\\nodejs\\npx.cmd '
    expect(once.startsWith(file)).toBe(true)
    expect(readByCmd(once.slice(file.length))).toBe(args.map(quoteArgument).join(' '))
  })

  it('refuses line breaks, which would start another command', () => {
    expect(() => batchLine('a.cmd', ['x\ny'])).toThrow('line breaks')
  })
})

describe('finding the program on Windows', () => {
  const files = new Set(['C:\\nodejs\\npx.cmd', 'C:\\nodejs\\node.exe', 'C:\\work\\tool.bat'])
  const env = { Path: 'C:\\windows;C:\\nodejs', PATHEXT: '.COM;.EXE;.BAT;.CMD', COMSPEC: 'C:\\windows\\cmd.exe' }
  const find = (command: string, cwd = 'C:\\work') =>
    executable({ command, args: ['-y', 'a b'], cwd }, env, 'win32', (path) => files.has(path))

  it('finds a program in a folder that PATH contains in quotes', () => {
    const quoted = { ...env, Path: 'C:\\windows;"C:\\nodejs"' }
    const found = executable({ command: 'node', args: [] }, quoted, 'win32', (path) => files.has(path))
    expect(found).toMatchObject({ file: 'C:\\nodejs\\node.exe' })
  })

  it('runs a batch file through cmd.exe', () => {
    expect(find('npx')).toEqual({
      file: 'C:\\windows\\cmd.exe',
      args: ['/d', '/s', '/c', batchLine('C:\\nodejs\\npx.cmd', ['-y', 'a b'])],
      verbatim: true,
    })
  })

  it.each(['node', 'node.exe', 'C:\\nodejs\\node'])('runs %s directly', (command) => {
    expect(find(command)).toEqual({ file: 'C:\\nodejs\\node.exe', args: ['-y', 'a b'], verbatim: false })
  })

  it('searches the folder of the server only if configured', () => {
    expect(() => find('tool')).toThrow(expect.objectContaining({ code: 'ENOENT' }))
    expect(find('.\\tool').verbatim).toBe(true)
    expect(find('.\\nothing').file).toBe('.\\nothing')
  })

  it('changes nothing on other platforms', () => {
    expect(executable({ command: 'npx', args: ['x'] }, {}, 'linux')).toEqual({ file: 'npx', args: ['x'], verbatim: false })
  })
})

describe('the environment of a child', () => {
  it('has on Windows the variables that programs need to start, with declared names in any case', () => {
    const ours = { PATH: 'C:\\a', SYSTEMROOT: 'C:\\windows', SECRET: 's', COMSPEC: 'cmd.exe' }
    expect(environment({ command: 'x', env: { Path: 'C:\\b' } }, ours, 'win32')).toEqual({
      Path: 'C:\\b',
      SYSTEMROOT: 'C:\\windows',
      COMSPEC: 'cmd.exe',
    })
  })

  it('contains no shell functions', () => {
    expect(environment({ command: 'x', inherit: ['F'] }, { HOME: '() { :; }; x', F: '() { x', USER: 'me' }, 'linux')).toEqual({
      USER: 'me',
    })
  })
})
