// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
import { rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { pause } from '../../../toolwire/test/waiting.js'
import {
  type ConfigChanges,
  type ConfigError,
  type WatchedConfig,
  type WatchOptions,
  watchConfig,
} from '../../src/config/index.js'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()
const configWith = (...ids: string[]) =>
  JSON.stringify({ mcpServers: Object.fromEntries(ids.map((id) => [id, { command: id }])) })

let watched: WatchedConfig | undefined
afterEach(() => watched?.close())

async function watching(content: string, more: Partial<WatchOptions> = {}) {
  const path = await folder.write('conf/mcp.json', content)
  return start({ path, ...more })
}

async function start(more: Partial<WatchOptions>) {
  const changes: ConfigChanges[] = []
  const troubles: (ConfigError | undefined)[] = []
  const options = folder.options({ ...more })
  const config = await watchConfig(
    { settleMs: 20, pollMs: 100, ...more, ...options },
    (_, change) => void changes.push(change),
    (trouble) => void troubles.push(trouble),
  )
  watched = config
  const ids = () => config.current.upstreams.map(({ id }) => id)
  const eventually = (...wanted: string[]) => vi.waitFor(() => expect(ids()).toEqual(wanted), { timeout: 60_000 })
  const untilTrouble = (message: RegExp) =>
    vi.waitFor(() => expect(troubles.at(-1)?.message).toMatch(message), { timeout: 60_000 })
  return { config, changes, troubles, ids, eventually, untilTrouble }
}

describe('a watched config', () => {
  it('is applied as soon as it changes, and the changes are reported', async () => {
    const { changes, troubles, eventually } = await watching(configWith('a', 'b'))
    await writeFile(folder.at('conf/mcp.json'), configWith('b', 'c'))
    await eventually('b', 'c')
    expect(changes).toMatchObject([{ added: ['c'], removed: ['a'], changed: [] }])
    expect(troubles).toEqual([])
  })

  it('may be replaced, or be a link that is redirected', async () => {
    const { eventually } = await watching(configWith('a'))
    const path = folder.at('conf/mcp.json')
    await writeFile(`${path}.tmp`, configWith('b'))
    await rename(`${path}.tmp`, path)
    await eventually('b')
    await writeFile(folder.at('conf/v2'), configWith('c'))
    await symlink('v2', folder.at('conf/link'))
    await rename(folder.at('conf/link'), path)
    await eventually('c')
    await writeFile(`${path}.tmp`, configWith('d'))
    await rename(`${path}.tmp`, path)
    await eventually('d')
  })

  it.each([
    ['half-written', '{"mcpServers": {"b": {"comm', /mcp\.json:1: .*half-written/],
    ['empty', '', /half-written/],
    ['wrong', '{"mcpServers": {"b": {}}}', /neither a `command` nor a `url`/],
    ['wrong in our own part', '{"toolwire": {"prot": 1}}', /did you mean 'port'/],
  ])('that is %s leaves the last valid one in force; that is reported once, and so is its end', async (_, text, message) => {
    const { config, changes, troubles, ids, untilTrouble } = await watching(configWith('a'))
    await writeFile(folder.at('conf/mcp.json'), text)
    await untilTrouble(message)
    expect(ids()).toEqual(['a'])
    expect(config.trouble).toBe(troubles[0])
    await pause(350)
    expect(troubles).toHaveLength(1)
    await writeFile(folder.at('conf/mcp.json'), configWith('a'))
    await vi.waitFor(() => expect(troubles).toHaveLength(2), { timeout: 60_000 })
    expect(troubles[1]).toBeUndefined()
    expect(config.trouble).toBeUndefined()
    expect(changes).toEqual([])
  })

  it('that is deleted leaves the last valid one in force, and no other file takes its place', async () => {
    await folder.write('.mcp.json', configWith('other'))
    await folder.write('mcp.json', configWith('a'))
    const { ids, untilTrouble, eventually } = await start({})
    await unlink(folder.at('mcp.json'))
    await untilTrouble(/mcp\.json: cannot be read: ENOENT/)
    expect(ids()).toEqual(['a'])
    await folder.write('mcp.json', configWith('b'))
    await eventually('b')
  })

  it('is not read while it is still being written', async () => {
    const { changes, troubles, eventually } = await watching(configWith('a'), { settleMs: 1_000 })
    for (const ids of [['b'], ['b', 'c'], ['b', 'c', 'd']]) {
      await writeFile(folder.at('conf/mcp.json'), configWith(...ids))
      await pause(30)
    }
    await eventually('b', 'c', 'd')
    expect(changes).toHaveLength(1)
    expect(troubles).toEqual([])
  })

  it('is also polled, in case no notification comes', async () => {
    const { eventually } = await watching(configWith('a'))
    // An alias of the folder, which gets no notifications.
    const real = folder.at('real.json')
    await writeFile(real, configWith('b'))
    await unlink(folder.at('conf/mcp.json'))
    await symlink(real, folder.at('conf/mcp.json'))
    await eventually('b')
    await pause(150)
    await writeFile(real, configWith('c'))
    await eventually('c')
  })

  it('changes with its env files, including one that was missing', async () => {
    await folder.write('vars/x.env', 'A=1')
    const config = (file: string) => JSON.stringify({ mcpServers: { a: { command: 'x', envFile: folder.at(file) } } })
    const { config: now, untilTrouble, changes, troubles } = await watching(config('vars/x.env'))
    const env = () => now.current.upstreams[0]?.target
    await folder.write('vars/x.env', 'A=2')
    await vi.waitFor(() => expect(env()).toMatchObject({ env: { A: '2' } }), { timeout: 60_000 })
    expect(changes).toMatchObject([{ changed: ['a'], added: [], removed: [] }])
    await writeFile(folder.at('conf/mcp.json'), config('late.env'))
    await untilTrouble(/late\.env: cannot be read/)
    await folder.write('late.env', 'A=3')
    await vi.waitFor(() => expect(env()).toMatchObject({ env: { A: '3' } }), { timeout: 60_000 })
    expect(troubles.at(-1)).toBeUndefined()
  })

  it('that was missing is found when it appears', async () => {
    const { config, ids, eventually } = await start({})
    expect(config.current.source).toBeUndefined()
    expect(ids()).toEqual([])
    await folder.write('.vscode/mcp.json', configWith('a'))
    await eventually('a')
    await folder.write('.vscode/mcp.json', configWith('b'))
    await eventually('b')
  })

  it('that was missing, and cannot be searched, is reported until it can be read', async () => {
    const { untilTrouble, eventually } = await start({})
    await symlink('mcp.json', folder.at('mcp.json'))
    await untilTrouble(/exists but cannot be read/)
    await rm(folder.at('mcp.json'))
    await folder.write('home/.config/toolwire/mcp.json', configWith('a'))
    await eventually('a')
  })

  it('must be valid at the start, and reports nothing after it was closed', async () => {
    await expect(watching('{')).rejects.toThrow(/half-written/)
    const { config, changes } = await watching(configWith('a'))
    config.close()
    await writeFile(folder.at('conf/mcp.json'), configWith('b'))
    await pause(300)
    expect(changes).toEqual([])
  })

  it('reports nothing if only comments and whitespace change', async () => {
    const { changes, config } = await watching(configWith('a'))
    await writeFile(folder.at('conf/mcp.json'), `// hello\n${configWith('a')}`)
    await pause(300)
    expect(changes).toEqual([])
    expect(config.trouble).toBeUndefined()
  })
})

it('reports a change that cannot be applied as trouble, and retries it', async () => {
  const path = await folder.write('mcp.json', configWith('a'))
  const troubles: (ConfigError | undefined)[] = []
  let tries = 0
  watched = await watchConfig(
    { ...folder.options({ path }), settleMs: 20, pollMs: 50 },
    () => {
      if (++tries < 3) throw new Error('the port is taken')
    },
    (trouble) => void troubles.push(trouble),
  )
  await writeFile(path, configWith('b'))
  await vi.waitFor(() => expect(watched?.current.upstreams.map(({ id }) => id)).toEqual(['b']), { timeout: 60_000 })
  expect(tries).toBe(3)
  expect(troubles.map((trouble) => trouble?.message)).toEqual([
    expect.stringMatching(/cannot be applied: the port is taken/),
    undefined,
  ])
})

it('finds a host whose servers are imported when its file appears later', async () => {
  const path = await folder.write('mcp.json', JSON.stringify({ toolwire: { import: ['cursor'] } }))
  const { eventually } = await start({ path })
  await folder.write('home/.cursor/mcp.json', configWith('b'))
  await eventually('b')
})

it('that is only polled is not read while it is still being written either', async () => {
  const real = await folder.write('elsewhere/real.json', configWith('a'))
  await folder.write('conf/other.json', '')
  await symlink(real, folder.at('conf/mcp.json'))
  const { troubles, eventually } = await start({ path: folder.at('conf/mcp.json'), settleMs: 1_500, pollMs: 20 })
  const text = configWith('b', 'c', 'd')
  for (let length = 1; length < text.length; length += 8) {
    await writeFile(real, text.slice(0, length))
    await pause(40)
  }
  await writeFile(real, text)
  await eventually('b', 'c', 'd')
  expect(troubles).toEqual([])
})

describe('versions in a database', () => {
  /** Versions that become visible together, as two pushes within a second do. */
  function versionsOf(...texts: string[]) {
    const all = texts.map((text, at) => ({ version: at + 1, config: { name: 'mcp.json', text } }))
    let count = 1
    let hear: () => void = () => undefined
    return {
      get newest() {
        return `version ${count}`
      },
      get newestVersion() {
        return count
      },
      read: async (version = count) => all[version - 1],
      onChange: (listener: () => void) => {
        hear = listener
      },
      showAll() {
        count = all.length
        hear()
      },
    }
  }

  it('are followed to the newest usable one, even if an unusable one came right after it', async () => {
    const versions = versionsOf(configWith('a'), '{', configWith('b'), configWith('c'), '{"toolwire": {"prot": 1}}', '{')
    const { config, changes, eventually, untilTrouble } = await start({ versions })
    versions.showAll()
    await eventually('c')
    await untilTrouble(/^config version 6, mcp\.json:1: /)
    expect(config.current.version).toBe(4)
    expect(changes).toHaveLength(1)
  })

  it('are never followed back to an older one than the current', async () => {
    const versions = versionsOf(configWith('a'), '{')
    const { config, changes, untilTrouble } = await start({ versions })
    versions.showAll()
    await untilTrouble(/^config version 2, /)
    expect(config.current.version).toBe(1)
    expect(changes).toEqual([])
  })
})
