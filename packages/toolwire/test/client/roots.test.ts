// Roots, the folders that a client offers to a server. spec 2025-11-25, client/roots
import { describe, expect, it } from 'vitest'
import { every, until } from '../revisions.js'
import { askClient, modern } from './questions.js'

const list = { method: 'roots/list' }
const home = { uri: 'file:///home/ada/work', name: 'Work' }
const spaced = { uri: 'file:///home/ada/my%20notes' }

describe.each(until('2025-11-25'))('%s, with a handshake', (revision) => {
  it('ROOT-001 lists roots as file: URIs, and announces changes', async () => {
    let roots = [home]
    const { result, server, client } = await askClient(revision, list, { answers: { roots: async () => roots } })
    expect((server.received('initialize')[0]?.params as { capabilities: unknown }).capabilities).toEqual({
      roots: { listChanged: true },
    })
    expect(result).toEqual({ roots: [home] })
    roots = [home, spaced as typeof home]
    client.rootsChanged()
    await expect.poll(() => server.received('notifications/roots/list_changed')).toHaveLength(1)
    expect((await server.ask('again', 'roots/list')).result).toEqual({ roots })
  })

  it('ROOT-001 declares no roots if none are configured', async () => {
    const { error, server } = await askClient(revision, list)
    expect((server.received('initialize')[0]?.params as { capabilities: unknown }).capabilities).toEqual({})
    expect(error).toMatchObject({ code: -32601 })
  })
})

describe.each(every)('%s', (revision) => {
  it('ROOT-004 refuses roots with parent references, or that are not plain folders', async () => {
    const bad = [
      'file:///home/ada/../root',
      'file:///home/ada/..',
      'file:///home/ada/%2e%2e/root',
      'file:///home/ada/%2E./root',
      'file:///home/ada/./x/../../..',
      'file:///home/ada/..%2froot',
      'file:///home/ada/..%5croot',
      'file:///home/ada\\..\\root',
      'file:///home/ada%00/x',
      'file:///home/%ff',
      'https://example.com/',
      'javascript:alert(1)',
      '/home/ada',
      '',
    ]
    const roots = [home, ...bad.map((uri) => ({ uri })), spaced]
    const { result, warnings } = await askClient(revision, list, { answers: { roots } })
    expect(result).toEqual({ roots: [home, spaced] })
    expect(warnings).toHaveLength(bad.length)
  })
})

it('announces no changes in a revision that asks for roots each time', async () => {
  const { client, server } = await askClient(modern, list, { answers: { roots: [home] } })
  client.rootsChanged()
  await client.listTools({ fresh: true })
  expect(server.received('notifications/roots/list_changed')).toEqual([])
})
