// The conversion of a server entry to form fields and back.
import { expect, it } from 'vitest'
import { serverEntryOf, serverFormOf } from '../../src/setup/server-form.js'

it('an entry survives a round trip through the form', () => {
  const program = { command: 'node', args: ['server.js', '--x'], env: { A: '1', B: 'x=y' }, cwd: '/srv' }
  const address = { url: 'https://mail.example/mcp', headers: { Authorization: 'Bearer: x' } }
  for (const entry of [program, address]) {
    const form = serverFormOf('mail', entry)
    expect(form && serverEntryOf(form, entry)).toEqual(entry)
  }
})

it.each([
  { command: 'node', args: ['one\ntwo'] },
  { command: 'node', env: { A: '1\nB=2' } },
  { command: 'node', env: { 'A\nB': '1' } },
  { url: 'https://mail.example/mcp', headers: { 'x-note': 'one\r\nX-Other: two' } },
])('an entry with line breaks has no form, in which they would begin other lines: %j', (entry) => {
  expect(serverFormOf('mail', entry)).toBeUndefined()
})
