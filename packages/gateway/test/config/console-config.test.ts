import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()
const load = async (written: unknown, more: Parameters<typeof folder.load>[1] = {}) =>
  (await folder.load({ mcpServers: {}, toolwire: { ...(written !== undefined && { console: written }) } }, more)).console
const env = { TOOLWIRE_CONSOLE_PORT: '5001' }
const host = '127.0.0.1'

describe('the console', () => {
  it('listens on this machine, at a requested port or any free one', async () => {
    expect(await load(undefined)).toEqual({ host })
    expect(await load({})).toEqual({ host })
    expect(await load({ port: 0 })).toEqual({ host, port: 0 })
    for (const own of ['127.0.0.2', 'localhost', '::1']) expect(await load({ host: own })).toEqual({ host: own })
    expect(await load({ host: '[::1]' })).toEqual({ host: '::1' })
  })

  it('takes its address from the command line, then the environment, then the file', async () => {
    const flags = { consolePort: '5000' }
    expect(await load({ port: 5002 }, { env, flags })).toEqual({ host, port: 5000 })
    expect(await load({ port: 5002 }, { env })).toEqual({ host, port: 5001 })
    expect(await load(undefined, { env: { TOOLWIRE_CONSOLE_PORT: '' } })).toEqual({ host })
  })

  it('is off if the file or the command line says so', async () => {
    expect(await load(false, { env, flags: { consolePort: '5000' } })).toBe(false)
    expect(await load({ port: 5002 }, { flags: { console: false } })).toBe(false)
    expect(await load(undefined, { flags: { console: true } })).toEqual({ host })
  })

  it.each([
    [{ host: '0.0.0.0' }, {}, /console\/host.*only on this machine.*use a tunnel/s],
    [{ host: '192.0.2.1' }, {}, /only on this machine/],
    [{ host: 'localhost.example' }, {}, /only on this machine/],
    [true, {}, /console: expected false/],
    [{ prot: 1 }, {}, /did you mean 'port'/],
    [{ port: 70_000 }, {}, /at most 65535/],
    [undefined, { env: { TOOLWIRE_CONSOLE_PORT: 'x' } }, /TOOLWIRE_CONSOLE_PORT must be a number/],
    [undefined, { flags: { consolePort: '-1' } }, /--console-port must be a number/],
  ])('%j with %j is refused', async (written, more, message) => {
    await expect(load(written, more)).rejects.toThrow(message)
  })

  it('matches the guide', async () => {
    const guide = readFileSync(fileURLToPath(new URL('../../../../docs/guides/console.md', import.meta.url)), 'utf8')
    const examples = [...guide.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text = '']) => text)
    expect(examples.length).toBe(2)
    for (const example of examples) expect((await folder.load(example)).console).toMatchObject({ host })
    expect((await folder.load(examples.at(-1) ?? '')).console).toEqual({ host, port: 4181 })
  })
})
