import '../../reported-faults.js'
import { server, ToolError, tool, withinRoots } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { judged } from '../../official-schemas.js'
import { every } from '../../revisions.js'

const home = [{ uri: 'file:///home/ada/project' }]
const app = server({
  name: 'a',
  version: '1',
  tools: {
    read: tool({
      input: z.object({ path: z.string() }),
      run: async ({ path }, ctx) => {
        if (!withinRoots(await ctx.ask.roots('folders'), path)) throw new ToolError(`${path} is in none of your folders`)
        return `contents of ${path}`
      },
    }),
  },
})

describe.each(every)('Roots at %s', (revision) => {
  it('ROOT-002 are requested in a result at 2026-07-28, and by a request before', async () => {
    await using t = await judged(app, { revision, answers: { folders: { roots: home } } })
    expect(await t.call('read', { path: '/home/ada/project/a.txt' })).toMatchObject({ isError: false })
    expect(t.heard('roots/list')).toHaveLength(revision === '2026-07-28' ? 0 : 1)
    const asked = t.frames.filter(
      ({ message }) => (message.result as { resultType?: string } | undefined)?.resultType === 'input_required',
    )
    expect(asked.map(({ message }) => message.result)).toMatchObject(
      revision === '2026-07-28' ? [{ inputRequests: { folders: { method: 'roots/list' } } }] : [],
    )
  })

  it('ROOT-003 restrict a tool that accesses files', async () => {
    await using t = await judged(app, { revision, answers: { folders: { roots: home } } })
    expect(await t.call('read', { path: '/etc/passwd' })).toMatchObject({
      isError: true,
      content: [{ text: '/etc/passwd is in none of your folders' }],
    })
    expect(await t.call('read', { path: '/home/ada/project/../.ssh/id' })).toMatchObject({ isError: true })
  })

  it('must be file URIs, whatever the client returns', async () => {
    await using t = await judged(app, {
      revision,
      lenient: true,
      answers: { folders: { roots: [{ uri: 'https://evil.example/' }] } },
    })
    expect(await t.call('read', { path: '/etc/passwd' })).toMatchObject({ isError: true })
  })
})

it('ROOT-002 a notification of changed roots has no effect at 2026-07-28', async () => {
  await using t = await judged(app, { revision: '2026-07-28', lenient: true, answers: { folders: { roots: home } } })
  t.notify('notifications/roots/list_changed')
  expect(await t.call('read', { path: '/home/ada/project/a' })).toMatchObject({ isError: false })
  expect(t.frames.filter(({ from }) => from === 'server')).toHaveLength(2)
})

describe('withinRoots', () => {
  const inside = [
    'file:///home/ada/project',
    'file:///home/ada/project/',
    'file:///home/ada/project/src/a.ts',
    'file:///home/ada/project/src/../a.ts',
    'file:///home/ada/project/./a.ts',
    'file:///home/ada/../ada/project/a.ts',
    'file:///home/ada/%70roject/a%20b.ts',
    'file://localhost/home/ada/project/a.ts',
    'FILE:///home/ada/project/a.ts',
    'file:/home/ada/project/a.ts',
    '/home/ada/project/a.ts',
    '/home/ada/project/..hidden/a...ts',
    '/home/ada/project/100%.txt',
    '/home/ada/project/a?b#c.txt',
    '/home/ada/project/été.txt',
  ]
  it.each(inside)('ROOT-003 finds %s inside', (path) => {
    expect(withinRoots(home, path)).toBe(true)
  })

  const outside = [
    '/home/ada/project//../../grace',
    'file:///home/ada/project//../secrets',
    '/home/ada/project/a//../../../x',
    '/home/ada/project-secrets/a',
    '/home/ada/projec',
    '/home/ada',
    '/',
    '/home/ada/project/../../eve/.ssh/id_rsa',
    '/home/ada/project/../project2/a',
    'file:///home/ada/project/../../../etc/passwd',
    'file:///home/ada/project/%2e%2e/%2e%2e/etc/passwd',
    'file:///home/ada/project/%2E%2E/x',
    'file:///home/ada/project/.%2e/x',
    'file:///home/ada/project/..%2f..%2fetc/passwd',
    'file:///home/ada/project/..%5c..%5cetc',
    'file:///home/ada/project/%252e%252e/x',
    'file:///home/ada/project/%252e%252e%252fx',
    'file:///home/ada/project/..%00/x',
    'file:///home/ada/project/a%00.txt',
    'file:///home/ada/project/%00/../x',
    'file:///home/ada/project/%2f../../project/x',
    'file:///home/ada/project/.. /x',
    'file:///home/ada/project/..\\..\\etc',
    'file:///home/ada/project/%c0%ae%c0%ae/x',
    'file:///home/ada/project/a?/../../x',
    'file:///home/ada/project/a#/../../x',
    'file:///home/ada/project/\t../../x',
    '/home/ada/project/\0/../x',
    '/home/ada/project/a\0.txt',
    '/home/ada/project/..\\x',
    '//home/ada/project/a',
    'file:////home/ada/project/a',
    'file://evil.example/home/ada/project/a',
    'https://home/ada/project/a',
    'home/ada/project/a',
    'file:home/ada/project/a',
    '../home/ada/project/a',
    'C:\\home\\ada\\project\\a',
    '\ud800',
    '/home/ada/project/\ud800',
    '',
  ]
  it.each(outside)('ROOT-003 finds %j outside', (path) => {
    expect(withinRoots(home, path)).toBe(false)
  })

  it('ROOT-003 supports drives in the spellings of editors', () => {
    const drive = [{ uri: 'file:///c%3A/Users/Ada' }]
    for (const path of ['C:\\Users\\Ada\\a.txt', 'c:/Users/Ada/a.txt', 'file:///C:/Users/Ada/a.txt'])
      expect(withinRoots(drive, path)).toBe(true)
    for (const path of ['D:\\Users\\Ada\\a.txt', 'C:\\Users\\Ada\\..\\Eve\\a', '/Users/Ada/a.txt'])
      expect(withinRoots(drive, path)).toBe(false)
  })

  it('ROOT-003 finds nothing inside of an empty list, and everything inside of the root of the disk', () => {
    expect(withinRoots([], '/home/ada/project/a')).toBe(false)
    expect(withinRoots([{ uri: 'https://home/' }], '/home')).toBe(false)
    expect(withinRoots([{ uri: 'file:///' }], '/etc/passwd')).toBe(true)
    expect(withinRoots([...home, { uri: 'file:///tmp' }], '/tmp/a')).toBe(true)
  })
})
