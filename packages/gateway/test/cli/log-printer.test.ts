// The gateway's log for people and for programs.
import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { typedCommand } from '../../src/cli/hosts/own-program.js'
import { painter } from '../../src/cli/terminal/terminal.js'
import { logPrinter } from '../../src/cli/up/log-printer.js'
import { welcomeText } from '../../src/cli/up/welcome.js'
import { lineSplitter } from '../../src/upstreams/split-lines.js'
import { folder } from '../support/run-program.js'

function written(isTTY: boolean) {
  const lines: string[] = []
  const log = logPrinter({ isTTY, write: (text: string) => lines.push(text) > 0 } as NodeJS.WriteStream, { json: false })
  return { lines, log }
}

it('several lines stay lines under their message, and hidden characters are shown', () => {
  const { lines, log } = written(true)
  log({ level: 'warning', message: 'shop is not available: it said\nError: no \u202e key\n{"a":"b"}' }, 'info')
  const [first = '', ...more] = lines.join('').split('\n')
  expect(first).toMatch(/warning.* shop is not available: it said$/)
  expect(more).toEqual([`${' '.repeat(19)}Error: no \\u{202e} key`, `${' '.repeat(19)}{"a":"b"}`, ''])
})

it('for programs, JSON output of a server stays JSON, not a quoted string', () => {
  const { lines, log } = written(false)
  log(
    {
      level: 'debug',
      message: 'shop: {"level":"info","msg":"a \\"b\\""}',
      server: 'shop',
      stderr: '{"level":"info","msg":"a \\"b\\""}',
    },
    'debug',
  )
  log({ level: 'warning', message: 'shop is not available\nplain\n{"why":"gone"}' }, 'debug')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      time: expect.any(String),
      level: 'debug',
      message: 'shop printed',
      server: 'shop',
      stderr: { level: 'info', msg: 'a "b"' },
    },
    { time: expect.any(String), level: 'warning', message: 'shop is not available', lines: ['plain', { why: 'gone' }] },
  ])
})

it('output of a server becomes whole lines without colors, in any chunks', () => {
  const lines: string[] = []
  const write = lineSplitter((line) => lines.push(line))
  for (const piece of ['\u001b[31mEr', 'ror\u001b[0m: no\r\n\n', 'next', ' line\n']) write(piece)
  expect(lines).toEqual(['Error: no', 'next line'])
  write('word '.repeat(3_000))
  write('and its end\nnext\n')
  expect(lines.slice(2)).toEqual([`${'word '.repeat(1_638)}…`, 'next'])
})

it('the summary names the tools of each server, and why others are unusable with a remedy, in one line each', () => {
  const server = { state: 'ready', tools: 0 }
  const shown = welcomeText(
    {
      url: 'http://127.0.0.1:4180/mcp',
      config: '/home/ada/mcp.json',
      link: 'http://127.0.0.1:4181/#login=x',
      program: 'npx toolwire',
      troubles: ['server keyless: It exited with code 1', 'shop: 1 definition is withheld'],
      servers: [
        { ...server, id: 'files', tools: 14 },
        { ...server, id: 'one', tools: 1 },
        { ...server, id: 'slow', state: 'opening' },
        {
          ...server,
          id: 'keyless',
          state: 'failing',
          why: 'It exited with code 1. The end of its stderr:\nat line 3\nError: API_KEY is missing\n\nNode.js v20',
        },
        { ...server, id: 'private', state: 'needs login', why: 'private needs a login' },
      ],
    },
    painter(false),
  )
  const lines = shown.split('\n').map((line) => line.trim())
  expect(lines).toContain('Servers: files (14 tools), one (1 tool), slow (still starting)')
  expect(lines).toContain('! keyless is not available: Error: API_KEY is missing (It exited with code 1)')
  expect(lines).toContain('! private needs a login: npx toolwire login private')
  expect(lines.filter((line) => line.startsWith('Problem'))).toEqual(['Problem: shop: 1 definition is withheld'])
  expect(lines).toContain('Fix the config; it is reloaded when saved. npx toolwire doctor has details.')
  const commands = ['list', 'watch', 'connect <host>'].map((words) => expect.stringMatching(`^npx toolwire ${words} `))
  expect(lines.filter((line) => /^(npx )?toolwire /.test(line))).toEqual(commands)
  expect(shown).toContain('npx toolwire console prints a new link')
})

it('a suggested command works as typed', () => {
  using at = folder()
  const program = `${at.path}/clone/dist/toolwire.js`
  for (const folder of ['bin', 'clone/node_modules/.bin', 'clone/sub']) mkdirSync(`${at.path}/${folder}`, { recursive: true })
  const bin = `${at.path}/clone/node_modules/.bin`
  const typed = (path: string, cwd: string, from = program) =>
    typedCommand({ env: { PATH: path }, cwd: `${at.path}/${cwd}`, home: at.path, platform: 'linux' }, from)
  expect(typed(bin, 'clone')).toBe(`node ${program}`)
  writeFileSync(`${bin}/toolwire`, '')
  expect(typed(bin, 'clone/sub')).toBe('npx toolwire')
  expect(typed(bin, 'bin')).toBe(`node ${program}`)
  expect(typed('', 'bin', '/home/ada/.npm/_npx/1/node_modules/x.js')).toBe('npx @toolwire/gateway')
  writeFileSync(`${at.path}/bin/toolwire`, '')
  expect(typed(`${bin}:${at.path}/bin`, 'clone')).toBe('toolwire')
})
