// Interactive commands in a terminal: forms for missing arguments, confirmation, and questions of servers.
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { inTerminal, keys } from '../support/pseudo-terminal.js'
import { clean, shop } from '../support/run-program.js'

const strange = ['--', process.execPath, fileURLToPath(new URL('../programs/strange-server.mjs', import.meta.url))]

it('a list marks claims as unverified, and is red if the server itself declares a tool destructive', async () => {
  const screen = inTerminal(['list', ...shop], { env: { ...clean(tmpdir()), TERM: 'xterm' } })
  expect(await screen.ended).toBe(0)
  expect(screen.text).toMatch(/^search +query \[limit\] +reads \(unverified\)/m)
  expect(screen.raw).toContain('\u001b[31mdestructive (unverified)\u001b[39m')
  expect(screen.raw).not.toContain('\u001b[31mreads')
})

describe('before a call', () => {
  it('missing arguments are requested by form fields that match the schema', async () => {
    const screen = inTerminal(['call', 'write', 'text=hello', ...strange])
    await screen.shows('times [integer]')
    screen.type(`many${keys.enter}`)
    await screen.shows('must be a whole number')
    screen.type(`${'\u007f'.repeat(4)}7${keys.enter}`)
    await screen.shows('The value is not valid')
    screen.type(`\u007f2${keys.enter}`)
    await screen.shows('loud [boolean]')
    screen.type(keys.left + keys.enter)
    await screen.shows('there')
    screen.type(keys.down + keys.enter)
    const shown = await screen.shows('Call it?')
    expect(shown).toContain('may change or destroy something')
    expect(shown.replaceAll('\r', '')).toContain('{\n  "text": "hello",\n  "times": 2,\n  "loud": true,\n  "where": "there"\n}')
    screen.type(keys.left + keys.enter)
    await screen.shows('wrote {"text":"hello","times":2,"loud":true,"where":"there"}')
    expect(await screen.ended).toBe(0)
  })

  it('UX-001 UX-004 an accidental Enter means no, and nothing is sent', async () => {
    const screen = inTerminal(['call', 'write', 'text=hello', 'times=1', 'loud=true', 'where=here', ...strange])
    await screen.shows('Call it?')
    screen.type(keys.enter)
    await screen.shows('Not called.')
    expect(await screen.ended).toBe(3)
    expect(screen.text).not.toContain('wrote')
  })

  it('--yes asks nothing, and a read-only tool of a trusted server is called at once', async () => {
    const written = inTerminal(['call', 'write', 'text=a', 'times=1', 'loud=true', 'where=here', '--yes', ...strange])
    await written.shows('wrote')
    const read = inTerminal(['call', 'search', 'query=mug', '--trust', ...shop])
    await read.shows('"stock": 12')
    expect([await written.ended, await read.ended]).toEqual([0, 0])
    expect(written.text + read.text).not.toContain('Call it?')
  })

  it('closing a form sends nothing', async () => {
    const screen = inTerminal(['call', 'write', ...strange])
    await screen.shows('text [string]')
    screen.type(keys.interrupt)
    await screen.shows('Nothing was sent')
    expect(await screen.ended).not.toBe(0)
  })
})

describe('a question of a server', () => {
  it('is a form, whose answer is shown before it is sent', async () => {
    const screen = inTerminal(['call', 'order', '--yes', ...strange])
    await screen.shows('asks:')
    await screen.shows('How shall it be?\\u{1b}[2J')
    await screen.shows('large')
    screen.type(keys.down + keys.enter)
    await screen.shows('As a gift')
    screen.type(keys.left + keys.enter)
    await screen.shows('count [integer]')
    screen.type(`3${keys.enter}`)
    await screen.shows('note [string, optional]')
    screen.type(keys.enter)
    await screen.shows('This will be sent')
    await screen.shows('Send it?')
    screen.type(keys.enter)
    await screen.shows('{"size":"large","gift":true,"count":3}')
    expect(await screen.ended).toBe(0)
  })

  it('ELIC-017 contains no address that a terminal turns into a link', async () => {
    const screen = inTerminal(['call', 'order', '--yes', ...strange])
    await screen.shows('\\u{1b}]8;;https://evil.example\\u{7}here')
    await screen.shows('large')
    screen.type(keys.enter)
    await screen.shows('As a gift')
    screen.type(keys.enter)
    await screen.shows('count [integer]')
    screen.type(`3${keys.enter}`)
    await screen.shows('note [string, optional]')
    await screen.shows('https://evil.example')
    expect(screen.raw).not.toContain('\u001b]8')
    screen.type(keys.interrupt)
    expect(await screen.ended).not.toBe(0)
  })

  it('can be declined, and the tool learns it', async () => {
    const screen = inTerminal(['call', 'order', 'id=mug', '--yes', ...shop])
    await screen.shows('Order one Mug')
    await screen.shows('Order it')
    screen.type(keys.enter)
    await screen.shows('Send it?')
    screen.type(keys.down + keys.enter)
    const code = await screen.ended
    expect(code).toBe(1)
    expect(screen.text).not.toContain('Ordered one Mug')
  })

  it('can be a page: its whole address is shown, and an accidental Enter does not agree', async () => {
    const screen = inTerminal(['call', 'pay', '--yes', ...strange])
    await screen.shows('https://pay.example/order/1?lang=en')
    await screen.shows('host: pay.example')
    await screen.shows('What do you want to do?')
    screen.type(keys.enter)
    expect(await screen.ended).toBe(1)
    expect(screen.text).not.toContain('paid')
  })

  it('can be accepted for a page without opening it', async () => {
    const screen = inTerminal(['call', 'pay', '--yes', ...strange])
    await screen.shows('What do you want to do?')
    screen.type(keys.up + keys.enter)
    await screen.shows('paid')
    expect(await screen.ended).toBe(0)
  })
})

describe('during a call', () => {
  it('UX-003 its progress is a bar, and Ctrl-C cancels it', async () => {
    const screen = inTerminal(['call', 'slow', '--yes', ...strange])
    await screen.shows('[######------------------] 1/4 first')
    screen.type(keys.interrupt)
    expect(await screen.ended).toBe(130)
  })
})
