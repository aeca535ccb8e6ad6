// All paths by which untrusted input arrives, each with a generator of hostile input.
import type { ServerResponse } from 'node:http'
import type { Json } from 'toolwire'
import { event, HostilePeer, streamed } from './hostile-peer.js'
import type { Random } from './random.js'
import { http, inChunksOfOne, type RawAnswer, RawLines, RawSession } from './raw-caller.js'
import { paths, texts, toolLists, values } from './shapes.js'
import { WatchedProcess } from './target.js'

export type Subject = 'server' | 'gateway' | 'client'
/** `size` is the size of one message in characters. */
export type Attack = { readonly size: number; readonly random: Random; readonly seconds: number }
export type Road = {
  readonly subject: Subject
  readonly name: string
  /** Maximum number of messages of input held at once; that much does not count as growth. */
  readonly messages?: number
  readonly run: (attack: Attack) => Promise<Attacked>
}
export type Attacked = Awaited<ReturnType<WatchedProcess['end']>>

/** Measures the target from the end of its warm-up until the attack is over. */
async function watched(target: WatchedProcess, warm: () => Promise<unknown>, attack: () => Promise<unknown>): Promise<Attacked> {
  try {
    await warm()
    await target.begin()
    await attack()
    return await target.end()
  } finally {
    await target.stop()
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Asks until the answer is yes. */
async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + patienceMs
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${patienceMs} ms`)
    await pause(askEveryMs)
  }
}

const patienceMs = 60_000
const askEveryMs = 25

type Say = (session: RawSession, attack: Attack, target: WatchedProcess) => Promise<unknown>
type Scene = {
  readonly revision?: string
  readonly warm?: Say
  readonly messages?: number
  readonly env?: NodeJS.ProcessEnv
}

/** A caller that attacks a server, and a gateway in front of a well-behaved server. */
const byCaller = (name: string, say: Say, { revision, warm, messages, env }: Scene = {}): Road[] => [
  {
    subject: 'server',
    name,
    ...(messages && { messages }),
    async run(attack) {
      const target = await WatchedProcess.start('target-server.js', env)
      const session = await RawSession.open(target.port, revision)
      return watched(
        target,
        () => (warm ?? plainCalls)(session, attack, target),
        () => say(session, attack, target),
      )
    },
  },
  {
    subject: 'gateway',
    name,
    ...(messages && { messages }),
    async run(attack) {
      const peer = await HostilePeer.start()
      peer.answers = standIn
      const target = await WatchedProcess.start('target-gateway.js', { ...env, UPSTREAM: String(peer.port) })
      const session = await RawSession.open(target.port, revision)
      await offered(session, 'echo')
      return watched(
        target,
        () => (warm ?? plainCalls)(session, attack, target),
        () => say(session, attack, target),
      ).finally(() => peer.close())
    },
  },
]

async function plainCalls(session: RawSession): Promise<void> {
  for (let n = 0; n < 50; n++) await session.call('echo', { text: 'warm', value: [n] })
}

const offered = (session: RawSession, name: string): Promise<void> =>
  until(`the gateway offers ${name}`, async () => (await session.ask('tools/list')).text.includes(`"${name}"`))

/** Resolves when a person can read the arguments of the waiting call. */
async function shownToPerson(target: WatchedProcess): Promise<void> {
  const waiting = async () => /"waiting":"([^"]+)"/.exec((await manage(target, '/calls')).text)?.[1]
  await until('the pending approval is shown', async () => (await manage(target, `/approvals/${await waiting()}`)).status === 200)
}

/** A request to the management API of a gateway, or for its metrics. */
const manage = ({ port, token }: WatchedProcess, path: string): Promise<RawAnswer> =>
  http(port, path === '/metrics' ? path : `/api/v1${path}`, { method: 'GET', headers: { authorization: `Bearer ${token}` } })

const anything = { type: 'object', properties: { text: { type: 'string' } } }
const standIn = {
  'tools/list': () => ({
    tools: [
      ...['echo', 'structured', 'big', 'unique', 'recursive', 'either', 'items'].map((name) => ({ name, inputSchema: anything })),
      {
        name: 'patterned',
        inputSchema: {
          type: 'object',
          properties: { text: { type: 'string', pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$' } },
        },
      },
    ],
  }),
  'tools/call': ({ arguments: given = {}, name = '' }: { arguments?: Json; name?: Json }) =>
    name === 'big'
      ? { content: [{ type: 'text', text: 'x'.repeat(1_000_000) }] }
      : name === 'structured'
        ? { content: [], structuredContent: given }
        : { content: [{ type: 'text', text: JSON.stringify(given) }] },
  'resources/templates/list': () => ({
    resourceTemplates: Array.from({ length: 300 }, (_, at) => ({
      name: `t${at}`,
      uriTemplate: `memo://{a}/{b}-${at % 10}-{c}/{d}{?e,f}`,
    })),
  }),
} as never

const tools = ['echo', 'structured', 'patterned', 'unique', 'recursive', 'either', 'items']

/** Values that take long to copy, to digest and to write for a person. */
const slowToShow = (['rows', 'unsortedRows', 'sameStrings', 'deep', 'mixed', 'members'] as const).flatMap(
  (name) => values[name] ?? [],
)

/** Long lines on a pipe, each before the answer to the last. */
const pipe: Road = {
  subject: 'server',
  name: 'texts and values on a pipe',
  messages: 2,
  async run({ size, random }) {
    const target = await WatchedProcess.start('target-server.js', { LINES: 'yes' })
    const lines = await RawLines.open(target.port)
    const warm = async () => {
      for (let n = 0; n < 50; n++) await lines.call('echo', { text: 'warm', value: [n] })
    }
    return watched(target, warm, async () => {
      for (const make of Object.values(texts)) {
        const text = make(textSize(make, size, random), random)
        await Promise.all([lines.call('echo', { text }), lines.call('structured', { text })])
      }
      for (const make of Object.values(values)) {
        const value = make(size, random)
        await Promise.all([lines.call('echo', { value }), lines.call('recursive', { value })])
      }
    })
  },
}

const callers: Road[] = [
  pipe,
  ...byCaller('texts as arguments', async (session, { size, random }) => {
    for (const make of Object.values(texts))
      for (const tool of ['echo', 'structured', 'patterned'])
        await session.call(tool, { text: make(textSize(make, size, random), random) })
  }),
  ...byCaller('values as arguments', async (session, { size, random }) => {
    for (const make of Object.values(values)) for (const tool of tools) await session.call(tool, { value: make(size, random) })
  }),
  ...byCaller('paths as arguments', async (session, { size }) => {
    for (const make of Object.values(paths))
      for (const each of [20, 7_500]) {
        const path = Array.from({ length: Math.min(390_000, size / (each + 3)) }, () => make(each))
        await session.call('echo', { path })
      }
  }),
  ...byCaller(
    'arguments that wait for approval',
    async (session, { size, random }, target) => {
      for (const make of slowToShow) {
        const answer = session.call('echo', { value: make(size, random) })
        // The gateway holds a call until somebody decides, or the caller cancels it. The server denies it by itself.
        if (target.token !== undefined) {
          await shownToPerson(target)
          await session.cancelLast()
        }
        await answer
      }
    },
    { env: { ASK: 'yes' }, warm: (session) => session.ask('tools/list') },
  ),
  ...byCaller('JSON that is none', async (session, { size, random }) => {
    const whole = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: 'x'.repeat(size) } },
    })
    const pieces = [
      '[',
      '{"a":',
      '"\\u0061',
      '1e',
      '-',
      '0.',
      '{}',
      '[]',
      ',',
      '"\\ud800"',
      '\\',
      '""',
      '1'.repeat(300),
      '{"a":1,"a":',
    ]
    for (let n = 0; n < 40; n++) {
      const piece = random.pick(pieces)
      await session.raw(piece.repeat(size / piece.length))
      await session.raw(`{"jsonrpc":"2.0","id":${piece.repeat(size / 2 / piece.length)}`)
      await session.raw(whole.slice(0, random.below(whole.length)))
      await session.raw(`[${piece.repeat(size / piece.length)}]`)
    }
  }),
  ...byCaller('bodies in the smallest pieces', async (session, { size }) => {
    for (const id of [1, 2]) {
      const params = { name: 'echo', arguments: { other: 'x'.repeat(size * 0.9) } }
      await session.inSmallPieces(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }))
    }
  }),
  ...byCaller('ids, names, methods and cursors', async (session, { size, random }) => {
    for (const make of Object.values(texts)) {
      const long = make(textSize(make, size, random), random)
      await session.raw(JSON.stringify({ jsonrpc: '2.0', id: long, method: 'ping' }))
      for (const [method, params] of [
        [long, {}],
        ['tools/call', { name: long, arguments: {} }],
        ['tools/list', { cursor: long }],
        ['prompts/get', { name: long }],
        ['resources/read', { uri: long }],
        ['logging/setLevel', { level: long }],
        ['tools/call', { name: 'echo', arguments: { [long]: 1 } }],
        ['tools/call', { name: 'echo', _meta: { progressToken: long } }],
        ['prompts/get', { name: 'about', arguments: { what: long, [long]: 'x' } }],
      ] as const)
        await session.ask(method, params)
    }
  }),
  ...byCaller('URIs', async (session, { size, random }) => {
    const uris = [
      (length: number) => `memo://${'-'.repeat(length)}`,
      (length: number) => `memo://${'a-1-'.repeat(length / 4)}/${random.word()}`,
      (length: number) => `memo://x/${'/'.repeat(length)}?e=1&f=2`,
      (length: number) => `memo://${'%41'.repeat(length / 3)}/b-2-c/d`,
    ]
    for (const make of uris)
      for (const length of [40, 1_000, 8_000, 100_000, size])
        for (const method of ['resources/read', 'resources/subscribe', 'resources/unsubscribe'])
          await session.ask(method, { uri: make(length) })
  }),
  ...byCaller('completions', async (session, { size, random }) => {
    for (const make of Object.values(texts)) {
      const value = make(textSize(make, size, random), random)
      for (const ref of [
        { type: 'ref/prompt', name: 'about' },
        { type: 'ref/resource', uri: 'memo://{a}/{b}-1-{c}/{d}{?e,f}' },
      ])
        await session.ask('completion/complete', {
          ref,
          argument: { name: 'what', value },
          context: { arguments: { more: value } },
        })
      await session.ask('completion/complete', { ref: { type: 'ref/resource', uri: value }, argument: { name: value, value } })
    }
  }),
  ...byCaller(
    'batches',
    async (session, { size, random }) => {
      const batch = (length: number, make: (id: number) => object) =>
        session.raw(JSON.stringify(Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, ...make(id) }))))
      const count = Math.min(1_000, Math.floor(size / 100))
      for (const name of ['big', 'echo']) await batch(count, () => ({ method: 'tools/call', params: { name, arguments: {} } }))
      await batch(count, () => ({ method: 'tools/list' }))
      await batch(count, () => ({ method: 'resources/read', params: { uri: `memo://${'a-1-'.repeat(20)}/${random.word()}` } }))
      await batch(20, () => ({
        method: 'tools/call',
        params: { name: 'unique', arguments: { value: values.strings?.(size / 40, random) } },
      }))
      await batch(8, () => ({ method: 'tools/call', params: { name: 'patterned', arguments: { text: 'a'.repeat(size / 10) } } }))
    },
    { revision: '2025-03-26' },
  ),
  ...byCaller(
    'many at once',
    async (session, { size, random }) => {
      const text = 'aab'.repeat(size / 60)
      const one = () =>
        random.pick([() => session.call('big', {}), () => session.call('patterned', { text }), () => session.ask('tools/list')])()
      await Promise.all(Array.from({ length: 200 }, one))
    },
    // A third of the 200 requests have a twentieth of a message each, all at once.
    { messages: 200 / 3 / 20 },
  ),
  ...byCaller('sessions and subscriptions', async (session, { size, random }, { port }) => {
    const count = Math.min(2_000, size / 2_000)
    const subscribe = (from: RawSession, n: number) =>
      from.ask('resources/subscribe', { uri: `memo://${random.word(40)}/a-${n % 10}-b/${n}` })
    subscribed(await subscribe(session, 0))
    for (let n = 0; n < count; n++) await session.ask('resources/subscribe', { uri: `memo://fixed?${random.word(40)}${n}` })
    for (let n = 1; n < count; n++) await subscribe(session, n)
    for (let n = 0; n < count / 10; n++) await subscribe(await RawSession.open(port), n)
    await session.ask('logging/setLevel', { level: 'debug' })
  }),
]

function subscribed({ status, text }: RawAnswer): void {
  if (status !== 200 || text.includes('"error"'))
    throw new Error(`the subscription was refused: HTTP ${status} ${text.slice(0, 200)}`)
}

/** Size of the largest message that is accepted, for texts whose characters take several bytes. */
function textSize(make: (size: number, random: Random) => string, size: number, random: Random): number {
  const sample = JSON.stringify(make(1_000, random))
  return Math.floor((size * 900) / Buffer.byteLength(sample))
}

type Play = { readonly peer: HostilePeer; readonly session: RawSession; readonly attack: Attack; readonly target: WatchedProcess }

/** An upstream that attacks the gateway. */
const byUpstream = (
  name: string,
  play: (play: Play) => Promise<unknown>,
  { messages }: { readonly messages?: number } = {},
): Road => ({
  subject: 'gateway',
  name,
  ...(messages && { messages }),
  async run(attack) {
    const peer = await HostilePeer.start()
    const target = await WatchedProcess.start('target-gateway.js', { UPSTREAM: String(peer.port) })
    const session = await RawSession.open(target.port)
    await offered(session, 'echo')
    return watched(
      target,
      () => plainCalls(session),
      () => play({ peer, session, attack, target }),
    ).finally(() => peer.close())
  },
})

type ListKind = keyof typeof emptyLists

/** Sends change notifications for some time, and resolves when the gateway has handled a last one. */
async function churning({ peer, attack, session }: Play, kind: ListKind): Promise<void> {
  const method = `notifications/${kind}/list_changed`
  const end = performance.now() + attack.seconds * 1_000
  while (performance.now() < end) {
    peer.notify(method)
    await session.call('echo', {})
    await pause(20)
  }
  await emptied({ peer, session }, kind)
  if (process.env.PROMISES_DEBUG) console.error(`  asked: ${JSON.stringify([...peer.asked])}, listeners: ${peer.listeners}`)
}

const emptyLists = { tools: { tools: [] }, resources: { resources: [] }, prompts: { prompts: [] } } as const

/** Replaces a list with an empty one, and resolves when the gateway offers nothing more. New tools would be withheld. */
async function emptied({ peer, session }: Pick<Play, 'peer' | 'session'>, kind: ListKind): Promise<void> {
  peer.answers = { ...peer.answers, [`${kind}/list`]: () => emptyLists[kind] }
  await until(`the list of ${kind} is empty`, async () => {
    // A notification behind many others may be dropped.
    peer.notify(`notifications/${kind}/list_changed`)
    return !(await session.ask(`${kind}/list`)).text.includes('"name":')
  })
}

/** The current list, and the next one that replaces it. */
const twoLists = { messages: 2 }

const listRoad = (shape: keyof typeof toolLists): Road =>
  byUpstream(
    `a list of tools that changes over and over: ${shape}`,
    (play) => {
      let round = 0
      const echo = { name: 'echo', inputSchema: { type: 'object' } }
      play.peer.answers = {
        'tools/list': () => ({ tools: [echo, ...(toolLists[shape]?.(play.attack.size, round++, play.attack.random) ?? [])] }),
      }
      return churning(play, 'tools')
    },
    twoLists,
  )

const upstreams: Road[] = [
  ...Object.keys(toolLists).map(listRoad),
  byUpstream(
    'lists of resources and prompts that change',
    async (play) => {
      let round = 0
      const { size } = play.attack
      const count = Math.min(9_900, size / 150)
      play.peer.answers = {
        'resources/list': () => ({
          resources: Array.from({ length: count }, (_, at) => ({
            name: `r${at}`,
            uri: `memo://${round++}/${at}`,
            description: 'x'.repeat(50),
          })),
        }),
        'resources/templates/list': () => ({
          resourceTemplates: Array.from({ length: count }, (_, at) => ({
            name: `t${at}`,
            uriTemplate: `memo://${at}-${round}/{a}/{b}{?c}`,
          })),
        }),
        'prompts/list': () => ({
          prompts: Array.from({ length: count }, (_, at) => ({
            name: `p${at}_${round}`,
            arguments: [{ name: 'a' }, { name: 'b' }],
          })),
        }),
      }
      await churning(play, 'resources')
      await churning(play, 'prompts')
    },
    twoLists,
  ),
  byUpstream('results with texts', async ({ peer, session, attack: { size, random } }) => {
    for (const make of Object.values(texts)) {
      const text = make(textSize(make, size / 2, random), random)
      peer.answers = { 'tools/call': () => ({ content: [{ type: 'text', text }], structuredContent: { text } }) }
      await session.call('echo', {})
      peer.answers = {
        'tools/call': () => ({
          content: Array.from({ length: 2_000 }, (_, at) => ({ type: 'text', text: text.slice(at * 400, at * 400 + 400) })),
        }),
      }
      await session.call('echo', {})
      peer.answers = { 'tools/call': () => ({ isError: true, content: [{ type: 'text', text }] }) }
      await session.call('echo', {})
    }
  }),
  byUpstream('results with values', async ({ peer, session, attack: { size, random } }) => {
    for (const make of Object.values(values)) {
      const value = make(size, random)
      peer.answers = { 'tools/call': () => ({ content: [], structuredContent: { value } }) }
      await session.call('echo', {})
    }
  }),
  byUpstream('results with pictures, sounds and files', async ({ peer, session, attack: { size, random } }) => {
    for (const make of [texts.base64, texts.letters, texts.spaces]) {
      const data = make?.(size * 0.9, random) ?? ''
      for (const content of [
        [{ type: 'image', data, mimeType: 'image/png' }],
        [{ type: 'audio', data, mimeType: 'audio/wav' }],
        [{ type: 'resource', resource: { uri: 'memo://fixed', blob: data } }],
        Array.from({ length: 1_000 }, (_, at) => ({
          type: 'image',
          data: data.slice(at * 100, at * 100 + 100),
          mimeType: 'image/png',
        })),
      ]) {
        peer.answers = { 'tools/call': () => ({ content }) }
        await session.call('echo', {})
      }
    }
  }),
  byUpstream('answers in the smallest pieces', async ({ peer, session, attack: { size } }) => {
    peer.answers = {
      'tools/call': (_, { id }) => ({
        raw(response: ServerResponse) {
          response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
          const result = { content: [{ type: 'text', text: 'x'.repeat(size * 0.9) }] }
          response.socket?.write(inChunksOfOne(JSON.stringify({ jsonrpc: '2.0', id, result })))
        },
      }),
    }
    await session.call('echo', {})
  }),
  byUpstream('resources, prompts, completions and errors', async ({ peer, session, attack: { size, random } }) => {
    for (const make of Object.values(texts)) {
      const text = make(textSize(make, size, random), random)
      peer.answers = {
        'resources/read': () => ({ contents: [{ uri: 'memo://fixed', text }] }),
        'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text } }] }),
        'completion/complete': () => ({ completion: { values: [text] } }),
      }
      await session.ask('resources/read', { uri: 'memo://fixed' })
      await session.ask('prompts/get', { name: 'about' })
      await session.ask('completion/complete', {
        ref: { type: 'ref/prompt', name: 'about' },
        argument: { name: 'what', value: 'a' },
      })
      for (const error of [{ message: text }, { message: 'x', data: { text } }]) {
        peer.answers = { 'tools/call': failing({ code: -32603, ...error }) }
        await session.call('echo', {})
      }
    }
    for (const make of Object.values(values)) {
      const value = make(size, random)
      peer.answers = {
        'resources/read': () => ({ contents: value, _meta: { value } }),
        'prompts/get': () => ({ messages: value, description: 'x' }),
        'completion/complete': () => ({ completion: { values: value } }),
        'tools/call': failing({ code: -32603, message: 'x', data: value }),
      }
      await session.call('echo', {})
      await session.ask('resources/read', { uri: 'memo://fixed' })
      await session.ask('prompts/get', { name: 'about' })
      await session.ask('completion/complete', {
        ref: { type: 'ref/prompt', name: 'about' },
        argument: { name: 'what', value: 'a' },
      })
    }
  }),
  byUpstream('questions', async ({ peer, session, attack: { size, random } }) => {
    const asks = (params: object) => ({
      'tools/call': () =>
        streamed(async (write, id) => {
          for (const method of ['elicitation/create', 'sampling/createMessage'])
            await write(event({ jsonrpc: '2.0', id: `${method} of ${id}`, method, params }))
          await write(event({ jsonrpc: '2.0', id, result: { content: [] } }))
        }),
    })
    for (const make of Object.values(texts)) {
      const text = make(textSize(make, size, random), random)
      peer.answers = asks({ message: text, requestedSchema: { type: 'object', properties: {} } })
      await session.call('echo', {})
    }
    for (const make of Object.values(values)) {
      peer.answers = asks({ message: 'x', requestedSchema: {}, messages: make(size, random) })
      await session.call('echo', {})
    }
  }),
  byUpstream('storms of news, progress and log messages', async (play) => {
    const { peer, session, attack } = play
    const news = (count: number, make: (at: number) => object) =>
      Array.from({ length: count }, (_, at) => event(make(at))).join('')
    const count = Math.min(20_000, attack.size / 100)
    for (const method of ['tools', 'prompts', 'resources'])
      peer.tell(news(count, () => ({ jsonrpc: '2.0', method: `notifications/${method}/list_changed` })))
    peer.tell(
      news(count, (at) => ({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: `memo://${at}` } })),
    )
    peer.tell(
      news(count, (at) => ({
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'error', data: `line ${at}` },
      })),
    )
    peer.tell(
      news(10, () => ({
        jsonrpc: '2.0',
        method: 'notifications/message',
        params: { level: 'error', data: 'x'.repeat(attack.size / 2) },
      })),
    )
    peer.tell(news(count, (at) => ({ jsonrpc: '2.0', id: `stray ${at}`, result: {} })))
    // The gateway does not answer all of the following requests.
    await peer.handled()
    peer.tell(news(count, (at) => ({ jsonrpc: '2.0', id: at + 1, method: 'ping' })))
    peer.tell(
      news(count / 10, (at) => ({
        jsonrpc: '2.0',
        id: at + 1,
        method: 'elicitation/create',
        params: { message: 'x', requestedSchema: {} },
      })),
    )
    peer.answers = {
      'tools/call': (params) =>
        streamed(async (write, id) => {
          const token = (params._meta as { progressToken?: Json } | undefined)?.progressToken ?? 1
          await write(
            news(count, (at) => ({
              jsonrpc: '2.0',
              method: 'notifications/progress',
              params: { progressToken: token, progress: at, message: 'x'.repeat(20) },
            })),
          )
          await write(event({ jsonrpc: '2.0', id, result: { content: [] } }))
        }),
    }
    await session.ask('tools/call', { name: 'echo', arguments: {}, _meta: { progressToken: 'p' } })
    await emptied(play, 'tools')
  }),
  byUpstream('streams without end', async ({ peer, session, attack: { size, seconds } }) =>
    endless(peer, size, seconds, () => session.call('echo', {})),
  ),
]

/** Answers every request with this error. */
const failing =
  (error: object) =>
  (_: unknown, { id }: { readonly id: Json }) => ({
    raw: (response: ServerResponse) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, error })),
  })

/** Streams without an event, or with an event that does not end, for some time each. */
async function endless(peer: HostilePeer, size: number, seconds: number, ask: () => Promise<unknown>): Promise<void> {
  for (const piece of [
    ':\n',
    `: ${'x'.repeat(1_000)}\n\n`,
    'id: 1\n',
    'retry: 1\n\n',
    'data:\n',
    `data: ${'x'.repeat(10_000)}\n`,
    'x',
    '\n',
    'event: other\ndata: 1\n\n',
    'id: 2\ndata:\n\n',
  ]) {
    const end = performance.now() + (seconds * 1_000) / 8
    let answer: string | undefined
    peer.answers = {
      'tools/call': () =>
        streamed(async (write, id) => {
          const much = piece.repeat(Math.max(1, 64_000 / piece.length))
          for (let sent = 0; performance.now() < end && sent < size * 20; sent += much.length) if (!(await write(much))) break
          answer = event({ jsonrpc: '2.0', id, result: { content: [] } })
          await write(`\n\n${answer}`)
        }),
    }
    let isOver = false
    const over = ask().finally(() => {
      isOver = true
    })
    // A stream that was given up may be resumed as another one.
    await until('the call ends', () => {
      if (answer) peer.tell(answer)
      return isOver
    })
    await over
  }
}

/** A server that attacks a client program. */
const byServer = (
  name: string,
  uses: readonly string[],
  prepare: (peer: HostilePeer, attack: Attack, use: () => Promise<void>) => unknown,
): Road => ({
  subject: 'client',
  name,
  async run(attack) {
    const peer = await HostilePeer.start()
    const target = await WatchedProcess.start('target-client.js')
    const warm = async () => {
      for (const what of ['listTools', 'call', 'read', 'prompt', 'listAll', 'models']) {
        const said = await target.do(what, peer.url)
        if (said !== 'done') throw new Error(`${what}: ${said}`)
      }
    }
    const use = async () => {
      for (const what of uses) {
        const said = await target.do(what, peer.url)
        if (process.env.PROMISES_DEBUG) console.error(`  ${what}: ${said}`)
      }
    }
    return watched(target, warm, async () => {
      await prepare(peer, attack, use)
    }).finally(() => peer.close())
  },
})

const servers: Road[] = [
  ...Object.keys(toolLists).map((shape) =>
    byServer(`a list of tools: ${shape}`, ['listAgain', 'models', 'call'], (peer, { size, random }, use) => {
      let round = 0
      peer.answers = {
        'tools/list': () => ({
          tools: [{ name: 'echo', inputSchema: { type: 'object' } }, ...(toolLists[shape]?.(size, round++, random) ?? [])],
        }),
      }
      return use()
    }),
  ),
  byServer('pages without end', ['listTools', 'listAll', 'call'], async (peer, { size, random }, use) => {
    const pages = [0, 1, 20, Math.floor(size / 500)]
    for (const each of pages) {
      let page = 0
      const paged = (member: string, make: (at: number) => object) => () => ({
        [member]: Array.from({ length: each }, (_, at) => make(at)),
        nextCursor: `${page++} ${random.word()}`,
      })
      peer.answers = {
        'tools/list': paged('tools', (at) => ({
          name: `t${at}_${page}`,
          description: 'x'.repeat(300),
          inputSchema: { type: 'object' },
        })),
        'resources/list': paged('resources', (at) => ({
          name: `r${at}`,
          uri: `memo://${at}/${page}`,
          description: 'x'.repeat(300),
        })),
        'resources/templates/list': paged('resourceTemplates', (at) => ({
          name: `r${at}`,
          uriTemplate: `memo://${at}/{a}`,
          description: 'x'.repeat(300),
        })),
        'prompts/list': paged('prompts', (at) => ({ name: `r${at}_${page}`, description: 'x'.repeat(300) })),
      }
      await use()
    }
  }),
  byServer('lists of resources and prompts', ['listAll'], (peer, { size }, use) => {
    const count = Math.min(9_900, size / 120)
    peer.answers = {
      'resources/list': () => ({
        resources: Array.from({ length: count }, (_, at) => ({
          name: `r${at}`,
          uri: `memo://${at}`,
          description: 'x'.repeat(50),
        })),
      }),
      'resources/templates/list': () => ({
        resourceTemplates: Array.from({ length: count }, (_, at) => ({
          name: `t${at}`,
          uriTemplate: `memo://${at}/{a}/{b}{?c}`,
        })),
      }),
      'prompts/list': () => ({
        prompts: Array.from({ length: count }, (_, at) => ({ name: `p${at}`, arguments: [{ name: 'a' }] })),
      }),
    }
    return use()
  }),
  byServer('results with texts', ['call', 'read', 'prompt'], async (peer, { size, random }, use) => {
    for (const make of Object.values(texts)) {
      const text = make(textSize(make, size, random), random)
      peer.answers = {
        'tools/call': () => ({ content: [{ type: 'text', text }] }),
        'resources/read': () => ({ contents: [{ uri: 'memo://fixed', text }] }),
        'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text } }] }),
      }
      await use()
    }
  }),
  byServer('results with values', ['call', 'read', 'prompt'], async (peer, { size, random }, use) => {
    for (const make of Object.values(values)) {
      const value = make(size, random)
      peer.answers = {
        'tools/call': () => ({ content: [], structuredContent: { value } }),
        'resources/read': () => ({ contents: value }),
        'prompts/get': () => ({ messages: value }),
      }
      await use()
    }
  }),
  byServer('storms of events', ['call', 'read'], async (peer, { size }, use) => {
    const count = Math.min(30_000, size / 80)
    const storm = (make: (at: number) => object) => Array.from({ length: count }, (_, at) => event(make(at))).join('')
    const kinds = [
      () => ({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }),
      (at: number) => ({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data: `line ${at}` } }),
      (at: number) => ({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: at } }),
      (at: number) => ({ jsonrpc: '2.0', id: `s${at}`, result: {} }),
      (at: number) => ({ jsonrpc: '2.0', id: at + 1, method: 'ping' }),
      (at: number) => ({ jsonrpc: '2.0', id: at + 1, method: 'sampling/createMessage', params: { messages: [] } }),
      () => ({ not: 'a message' }),
    ]
    peer.answers = {
      'tools/call': () =>
        streamed(async (write, id) => {
          for (const make of kinds) await write(storm(make))
          await write(event({ jsonrpc: '2.0', id, result: { content: [] } }))
        }),
      'resources/read': () =>
        streamed(async (write, id) => {
          await until('the client listens', () => peer.listeners > 0)
          for (let round = 0; round < 4; round++) {
            for (const make of kinds) peer.tell(storm(make))
            await peer.handled()
          }
          await write(event({ jsonrpc: '2.0', id, result: { contents: [] } }))
        }),
    }
    await use()
  }),
  byServer('streams without end', ['call'], (peer, { size, seconds }, use) => endless(peer, size, seconds, use)),
]

const queries: Road = {
  subject: 'gateway',
  name: 'queries of the console and the management API',
  async run({ size, random }) {
    const peer = await HostilePeer.start()
    const target = await WatchedProcess.start('target-gateway.js', { UPSTREAM: String(peer.port) })
    const session = await RawSession.open(target.port)
    await offered(session, 'echo')
    const many = Math.min(20_000, size / 200)
    const record = async () => {
      for (let n = 0; n < many; n += 50)
        await Promise.all(Array.from({ length: 50 }, () => session.call('echo', { text: random.word(200) })))
    }
    const ask = async (path: string) => {
      const { status, text } = await manage(target, path)
      if (status !== 200) throw new Error(`${path} was refused: HTTP ${status} ${text.slice(0, 200)}`)
    }
    return watched(target, record, async () => {
      const odd = encodeURIComponent('%_*"\' OR NEAR(a b) '.repeat(20))
      for (const path of [
        '/audit',
        '/audit?limit=1000',
        `/audit?text=${odd}`,
        '/audit?text=a&limit=1000',
        '/audit/verify',
        '/audit/export',
        '/audit/export?format=csv',
        '/stats',
        '/stats?from=0',
        '/calls',
        '/approvals',
        '/tools',
        '/servers',
        '/pins',
        '/policy',
        '/metrics',
        '/openapi.json',
      ])
        await ask(path)
      await Promise.all(Array.from({ length: 20 }, () => ask('/audit/verify')))
    }).finally(() => peer.close())
  },
}

export const roads: readonly Road[] = [...callers, ...upstreams, queries, ...servers]
