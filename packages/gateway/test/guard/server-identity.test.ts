// A known name with another server: accepted tools, approvals and grants belong to the previous server.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultGuard } from '../../src/config/gateway-config.js'
import {
  addressOf,
  fingerprint,
  newProgram,
  type Spec,
  configOf as serverOf,
  targetOf,
  writeProgram,
} from '../support/identity-servers.js'
import { ask, client, folder, pending, program, started, storeIn, until, words } from '../support/running-gateway.js'

type Drift = {
  readonly tool: string
  readonly hash: string
  readonly before?: object
  readonly serverIdentity: string
  readonly serverChange?: string
}
type Gateway = Awaited<ReturnType<typeof started>>

const waitingAt = async (gateway: Gateway) => ((await ask(gateway, '/pins')).body as unknown as { waiting: Drift[] }).waiting
const guard = { ...defaultGuard, rate: false } as const
const withProgress = { onProgress: () => undefined }
const dataIn = () => join(folder(), 'data')

function servers() {
  const place = folder()
  const file = newProgram(place, 'notes', 'one')
  const spec: Spec = { file, args: [], env: [] }
  const upstream = (more: Partial<Spec> = {}) => serverOf('notes', targetOf({ ...spec, ...more }))
  return {
    place,
    file,
    spec,
    upstream,
    answerOf: (tag: string, more: Partial<Spec> = {}) => fingerprint({ ...spec, ...more }, tag),
  }
}

/** Restarts the gateway with the same data. */
async function again(gateway: Gateway, upstream: ReturnType<typeof serverOf>): Promise<Gateway> {
  const { dataDir, guard } = gateway.config
  await gateway.close({ drainMs: 0 })
  return started({ upstreams: [upstream], dataDir, guard }, { store: await storeIn(dataDir), patienceMs: 1 })
}

describe('another server under a known name', () => {
  it.each([
    true,
    'strict',
  ] as const)('is withheld with all its tools if pins are %s, is named, and accepted for its identity', async (pins) => {
    const { upstream, answerOf, spec } = servers()
    const gateway = await started({ upstreams: [upstream()], guard: { ...guard, pins } })
    const accept = (drifts: readonly Drift[]) =>
      ask(gateway, '/pins/accept-many', {
        body: { definitions: drifts.map(({ tool, hash, serverIdentity }) => ({ server: 'notes', tool, hash, serverIdentity })) },
      })
    if (pins === 'strict') await accept(await waitingAt(gateway))
    expect(await waitingAt(gateway)).toEqual([])
    const one = await client(gateway.url)
    expect(words(await one.call('notes__look'))).toBe(answerOf('one'))

    await gateway.change({ ...gateway.config, upstreams: [upstream({ args: ['--api-key', 'hunter22'] })] })
    expect(await one.listTools({ fresh: true })).toEqual([])
    expect((await one.request('tools/call', { name: 'notes__look', arguments: {} })).isError).toBe(true)
    const waiting = await waitingAt(gateway)
    expect(waiting.map(({ tool }) => tool).sort()).toEqual(['notes__look', 'notes__write'])
    const { serverChange, tool, hash, serverIdentity } = waiting[0] as Drift
    const line = `${process.execPath} ${spec.file}`
    expect(serverChange).toBe(
      `This is not the server that was accepted as notes: its command changed from "${line}" to "${line} --api-key •••".`,
    )
    expect(gateway.log.filter((words) => words.includes('withheld')).at(-1)).toContain(serverChange)
    expect(JSON.stringify(await ask(gateway, '/pins'))).not.toContain('hunter22')

    const unnamed = await ask(gateway, '/pins/accept', { body: { server: 'notes', tool, hash } })
    expect(unnamed).toMatchObject({ status: 409, body: { error: expect.stringContaining('another server') } })
    const wrong = await ask(gateway, '/pins/accept', {
      body: { server: 'notes', tool, hash, serverIdentity: `${serverIdentity}0` },
    })
    expect(wrong.status).toBe(409)
    expect((await accept(waiting)).body).toMatchObject({ stale: [] })
    await one.listTools({ fresh: true })
    expect(words(await one.call('notes__look'))).toBe(answerOf('one', { args: ['--api-key', 'hunter22'] }))
  })

  it('is not withheld for another value in its environment, a restart or a reload', async () => {
    const { spec, answerOf } = servers()
    const valued = (value: string) => serverOf('notes', targetOf({ ...spec, env: ['NOTES_KEY'] }, value))
    const gateway = await started({ upstreams: [valued('old')], guard })
    const one = await client(gateway.url)
    await gateway.change({ ...gateway.config, upstreams: [valued('new')] })
    await gateway.control.restart('notes')
    await until(() => gateway.control.tools().length === 2)
    expect(words(await one.call('notes__look'))).toBe(answerOf('one', { env: ['NOTES_KEY'] }))
    expect(await waitingAt(gateway)).toEqual([])
  })

  it('is new under a name of its own, and the acceptances of the other one stay with that', async () => {
    const { upstream, answerOf } = servers()
    const gateway = await started({ upstreams: [upstream()], guard })
    const named = { ...upstream(), id: 'other', prefix: 'other' }
    await gateway.change({ ...gateway.config, upstreams: [named] })
    const one = await client(gateway.url)
    expect(words(await one.call('other__look'))).toBe(answerOf('one'))
    await gateway.change({ ...gateway.config, upstreams: [upstream()] })
    await one.listTools({ fresh: true })
    expect(words(await one.call('notes__look'))).toBe(answerOf('one'))
    expect(await waitingAt(gateway)).toEqual([])
  })

  it('has its resources and prompts withheld, too, until one of its tools is accepted', async () => {
    const at = (url: string) => serverOf('notes', { kind: 'http', url, headers: {} })
    const gateway = await started({ upstreams: [at(await addressOf('here'))], guard })
    const one = await client(gateway.url)
    const offered = async () => {
      const [resources, prompts] = [await one.listResources({ fresh: true }), await one.listPrompts({ fresh: true })]
      return [resources.map(({ name }) => name), prompts.map(({ name }) => name)]
    }
    await until(async () => (await offered()).flat().length === 2)
    expect(await offered()).toEqual([['it-is'], ['notes__greet']])
    await gateway.change({ ...gateway.config, upstreams: [at(await addressOf('there'))] })
    await until(async () => (await waitingAt(gateway)).length === 2)
    expect(await offered()).toEqual([[], []])
    await expect(one.request('resources/read', { uri: 'what://it-is' })).rejects.toThrow()
    await expect(one.request('prompts/get', { name: 'notes__greet' })).rejects.toThrow()
    const { tool, hash, serverIdentity } = (await waitingAt(gateway))[0] as Drift
    await ask(gateway, '/pins/accept', { body: { server: 'notes', tool, hash, serverIdentity } })
    expect(await offered()).toEqual([['it-is'], ['notes__greet']])
  })

  it('is withheld for tools that the accepted one never had, which are accepted for its identity, too', async () => {
    const { place, upstream } = servers()
    const gateway = await started({ upstreams: [upstream()], guard })
    const other = upstream({ file: program('notes-server.mjs') })
    await gateway.change({ ...gateway.config, upstreams: [other] })
    await until(async () => (await waitingAt(gateway)).length === 4)
    const fresh = (await waitingAt(gateway)).find(({ tool }) => tool === 'notes__pid')
    expect(fresh?.before).toBeUndefined()
    expect(fresh?.serverChange).toContain(`from "${process.execPath} ${join(place, 'notes.mjs')}" to`)
    const about = { server: 'notes', tool: 'notes__pid', hash: fresh?.hash }
    expect((await ask(gateway, '/pins/accept', { body: about })).status).toBe(409)
    const accepted = await ask(gateway, '/pins/accept', { body: { ...about, serverIdentity: fresh?.serverIdentity } })
    expect(accepted.status).toBe(200)
  })

  it('is one whose file was replaced while it ran: the restarted process gets no calls', async () => {
    const { file, upstream, answerOf } = servers()
    const gateway = await started({ upstreams: [upstream()], guard })
    const one = await client(gateway.url)
    writeProgram(file, 'evil')
    expect(words(await one.call('notes__look'))).toBe(answerOf('one'))
    await one.call('notes__look', { die: true }).catch(() => undefined)
    const answers: string[] = []
    await until(async () => {
      answers.push(
        words(await one.call('notes__look').catch((thrown) => ({ content: [{ type: 'text', text: String(thrown) }] }))),
      )
      return (await waitingAt(gateway)).length === 2
    })
    expect(answers.filter((answer) => answer.startsWith('{'))).toEqual([])
    const [drift] = await waitingAt(gateway)
    expect(drift?.serverChange).toBe(
      `This is not the server that was accepted as notes: the file ${JSON.stringify(file)} has another content.`,
    )
  })

  it('is one whose file was replaced during its start', async () => {
    const { place, upstream } = servers()
    const file = join(place, 'quick.mjs')
    // The file replaces itself before its first message, as an attacker at that moment would.
    const swap = `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(file)}, '// other')\n`
    const { readFileSync } = await import('node:fs')
    writeFileSync(file, `${swap}${readFileSync(join(place, 'notes.mjs'), 'utf8')}`)
    const gateway = await started({ upstreams: [upstream({ file })], guard })
    await until(() =>
      gateway.control.servers().some(({ why }) => why?.includes('changed while the command was starting') === true),
    )
    expect(gateway.control.tools()).toEqual([])
  })
})

describe('an approval', () => {
  it.each([
    ['other arguments', (_: string) => ({ args: ['--other'] })],
    [
      'another content of its file',
      (file: string) => {
        writeProgram(file, 'evil')
        return { args: [] }
      },
    ],
  ])('is not valid for a server that got the name later, with %s, with or without a restart of the gateway', async (_, change) => {
    for (const restart of [false, true]) {
      const { file, upstream, answerOf } = servers()
      const dataDir = dataIn()
      let gateway = await started({ upstreams: [upstream()], guard, dataDir }, { store: await storeIn(dataDir), patienceMs: 1 })
      expect((await (await client(gateway.url)).call('notes__write')).isError).toBe(true)
      const { id } = await pending(gateway)
      const more = change(file)
      if (restart) gateway = await again(gateway, upstream(more))
      else {
        await gateway.change({ ...gateway.config, upstreams: [upstream(more)] })
        await gateway.control.restart('notes')
      }
      await until(async () => (await waitingAt(gateway)).length === 2)
      const { body } = await ask(gateway, '/approvals')
      expect(body.approvals).toMatchObject([{ id, changes: ['server'] }])
      expect((await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })).status).toBe(409)
      for (const { tool, hash, serverIdentity } of await waitingAt(gateway))
        await ask(gateway, '/pins/accept', { body: { server: 'notes', tool, hash, serverIdentity } })
      const one = await client(gateway.url)
      expect((await one.call('notes__write')).isError).toBe(true)
      const tag = more.args.length === 0 ? 'evil' : 'one'
      const asked = ((await ask(gateway, '/approvals')).body.approvals as { id: string; last?: object }[]).filter(
        (one) => one.id !== id,
      )
      expect(asked).toHaveLength(1)
      await ask(gateway, `/approvals/${asked[0]?.id}`, { body: { decision: 'allow' } })
      expect(words(await one.call('notes__write'))).toBe(answerOf(tag, more))
    }
  })

  it('that is pending when its server changes has no effect, even after a yes', async () => {
    const { upstream } = servers()
    const gateway = await started({ upstreams: [upstream()], guard })
    const one = await client(gateway.url)
    const waits = one.call('notes__write', {}, withProgress).catch((thrown) => thrown)
    const { id } = await pending(gateway)
    await gateway.change({ ...gateway.config, upstreams: [upstream({ env: ['NOTES_MORE'] })] })
    await gateway.control.store.approvals.decide(id, 'allow')
    const result = await waits
    expect(result.isError ?? true).toBe(true)
  })

  it('of one server is not shown as an earlier approval of another with its name', async () => {
    const { upstream } = servers()
    const gateway = await started({ upstreams: [upstream()], guard: { ...guard, pins: false } })
    const one = await client(gateway.url)
    const wrote = async () => {
      const waits = one.call('notes__write', {}, withProgress)
      const { id } = await pending(gateway)
      const { body } = await ask(gateway, '/approvals')
      await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
      await waits
      return (body.approvals as { last?: object }[])[0]?.last
    }
    expect([await wrote(), await wrote()]).toEqual([undefined, expect.anything()])
    await gateway.change({ ...gateway.config, upstreams: [upstream({ args: ['x'] })] })
    await one.listTools({ fresh: true })
    expect(await wrote()).toBeUndefined()
  })
})

describe('a grant', () => {
  it('is not valid for another server that has its name, with pins and without', async () => {
    for (const pins of [true, false]) {
      const { upstream, answerOf } = servers()
      const gateway = await started({ upstreams: [upstream()], guard: { ...guard, pins } })
      const one = await client(gateway.url)
      const waits = one.call('notes__write', {}, withProgress)
      const { id } = await pending(gateway)
      await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow', always: { forMs: 60_000 } } })
      expect(words(await waits)).toBe(answerOf('one'))
      expect(words(await one.call('notes__write'))).toBe(answerOf('one'))
      await gateway.change({ ...gateway.config, upstreams: [upstream({ args: ['x'] })] })
      for (const { tool, hash, serverIdentity } of await waitingAt(gateway))
        await ask(gateway, '/pins/accept', { body: { server: 'notes', tool, hash, serverIdentity } })
      const asked = one.call('notes__write', {}, withProgress)
      const other = await pending(gateway)
      expect(other.id).not.toBe(id)
      await ask(gateway, `/approvals/${other.id}`, { body: { decision: 'deny' } })
      expect((await asked).isError).toBe(true)
    }
  })
})

describe('the audit log', () => {
  it('records the identity of the server for each call', async () => {
    const { upstream } = servers()
    const gateway = await started({ upstreams: [upstream()], guard: { ...guard, pins: false } })
    const one = await client(gateway.url)
    await one.call('notes__look')
    await gateway.change({ ...gateway.config, upstreams: [upstream({ args: ['x'] })] })
    await one.listTools({ fresh: true })
    await one.call('notes__look')
    const { calls } = (await ask(gateway, '/audit?tool=notes__look')).body as { calls: { sequence: number; ended: number }[] }
    const of = async (sequence: number) =>
      (await gateway.control.store.audit.record(sequence))?.record as { serverIdentity?: string } | undefined
    const records = await Promise.all(calls.flatMap(({ sequence, ended }) => [of(sequence), of(ended)]))
    const identities = records.map((record) => record?.serverIdentity)
    expect(identities[0]).toMatch(/^v1:[0-9a-f]{16}$/)
    expect([identities[0], identities[2]]).toEqual([identities[1], identities[3]])
    expect(identities[0]).not.toBe(identities[2])
  })
})

/** Rewrites pins and grants as the previous version stored them. */
async function toPreviousVersion(dataDir: string): Promise<void> {
  const old = await storeIn(dataDir)
  for (const { serverIdentity: _, ...pin } of await old.pins.list()) await old.pins.set(pin)
  for (const { serverIdentity: _, ...grant } of await old.grants.list()) await old.grants.add(grant)
  await old.close()
}

describe('a data directory from before server identities', () => {
  it('continues for a server that waits for trust, once it is accepted', async () => {
    const upstream = serverOf('notes', { kind: 'http', url: await addressOf('here'), headers: {} })
    const dataDir = dataIn()
    const first = await started({ upstreams: [upstream], guard, dataDir }, { store: await storeIn(dataDir) })
    const call = (await client(first.url)).call('notes__write', {}, withProgress)
    await ask(first, `/approvals/${(await pending(first)).id}`, { body: { decision: 'allow', always: { forMs: 60_000 } } })
    const answer = words(await call)
    await first.close({ drainMs: 0 })
    await toPreviousVersion(dataDir)

    const target = { kind: 'child', command: '', args: [], env: {} } as const
    const waits = { ...upstream, target, disabled: true, waits: true } as const
    const second = await started({ upstreams: [waits], guard, dataDir }, { store: await storeIn(dataDir) })
    const third = await again(second, waits)
    expect([...second.log, ...third.log].filter((line) => line.includes('by the name of a server'))).toEqual([])
    await third.change({ ...third.config, upstreams: [upstream] })
    expect(third.log.filter((line) => line.includes('by the name of a server'))).toHaveLength(1)
    expect(await waitingAt(third)).toEqual([])
    const one = await client(third.url)
    expect(words(await one.call('notes__write'))).toBe(answer)
    expect((await one.listPrompts({ fresh: true })).map(({ name }) => name)).toEqual(['notes__greet'])
  })

  it('continues: acceptances and grants apply once to the servers that have the names at the first start', async () => {
    const { upstream, answerOf } = servers()
    const dataDir = dataIn()
    const other = serverOf(
      'gone',
      targetOf({ file: upstream().target.kind === 'child' ? newProgram(folder(), 'gone', 'gone') : '', args: [], env: [] }),
    )
    const first = await started({ upstreams: [upstream(), other], guard, dataDir }, { store: await storeIn(dataDir) })
    const waits = (await client(first.url)).call('notes__write', {}, withProgress)
    await ask(first, `/approvals/${(await pending(first)).id}`, { body: { decision: 'allow', always: { forMs: 60_000 } } })
    await waits
    await first.close({ drainMs: 0 })

    await toPreviousVersion(dataDir)

    const second = await started({ upstreams: [upstream()], guard, dataDir }, { store: await storeIn(dataDir) })
    expect(second.log.filter((line) => line.includes('by the name of a server'))).toEqual([
      expect.stringMatching(/has this name today: notes\. .*not in the config.*: gone\./),
    ])
    const one = await client(second.url)
    expect(words(await one.call('notes__look'))).toBe(answerOf('one'))
    expect(words(await one.call('notes__write'))).toBe(answerOf('one'))

    const third = await again(second, upstream({ args: ['x'] }))
    expect(third.log.filter((line) => line.includes('by the name of a server'))).toEqual([])
    expect((await waitingAt(third)).map(({ tool }) => tool).sort()).toEqual(['notes__look', 'notes__write'])
    // This server was absent at the first start, so its identity cannot be assumed.
    await third.change({ ...third.config, upstreams: [upstream({ args: ['x'] }), other] })
    expect((await waitingAt(third)).filter(({ tool }) => tool.startsWith('gone__'))).toHaveLength(2)
  })
})
