// A program that simulates many callers. node crowd.mjs <address of the gateway>
import { Agent, request } from 'node:http'

const url = new URL(process.argv[2])
const prefix = 'io.modelcontextprotocol'
const revision = '2026-07-28'
let last = 0

const headersFor = (name) => ({
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': revision,
  'mcp-method': 'tools/call',
  'mcp-name': name,
})

function bodyFor(name, args = { text: 'hi' }) {
  const clientInfo = { name: 'crowd', version: '1.0.0' }
  const _meta = {
    progressToken: ++last,
    [`${prefix}/protocolVersion`]: revision,
    [`${prefix}/clientInfo`]: clientInfo,
    [`${prefix}/clientCapabilities`]: {},
  }
  return JSON.stringify({ jsonrpc: '2.0', id: ++last, method: 'tools/call', params: { name, arguments: args, _meta } })
}

/** Calls, and hangs up as soon as the first event shows that the call has begun. */
function hangUp(name, agent) {
  return new Promise((resolve) => {
    const call = request(url, { method: 'POST', agent, headers: headersFor(name) })
    call.on('error', () => undefined).on('close', resolve)
    call.on('response', (response) => response.on('error', () => undefined).once('data', () => call.destroy()))
    call.end(bodyFor(name))
  })
}

function called(name, agent, args) {
  return new Promise((resolve) => {
    const call = request(url, { method: 'POST', agent, headers: headersFor(name) }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      response.on('end', () => resolve({ status: response.statusCode, after: response.headers['retry-after'], text }))
      response.on('error', () => resolve({ status: 0 }))
    })
    call.on('error', () => resolve({ status: 0 }))
    call.end(bodyFor(name, args))
  })
}

/** Retries after the delay of a refusal, as clients do. */
async function served(name, agent) {
  for (;;) {
    const { status, after, text } = await called(name, agent)
    if (status === 200 && text.includes('"hi"')) return
    await new Promise((resolve) => setTimeout(resolve, 1_000 * Number(after ?? 1) * (0.5 + Math.random())))
  }
}

let agents = []

const acts = {
  async 'hang up'({ calls, atOnce, name }) {
    const agent = new Agent({ keepAlive: false })
    let left = calls
    const lane = async () => {
      while (left-- > 0) await hangUp(name, agent)
    }
    await Promise.all(Array.from({ length: atOnce }, lane))
    return calls
  },
  async come({ callers, name }) {
    agents = Array.from({ length: callers }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
    await Promise.all(agents.map((agent) => served(name, agent)))
    return callers
  },
  /** Sends large arguments at once; counts the answered, the refused and the failed requests. */
  async 'send much'({ callers, name, bytes }) {
    const agent = new Agent({ keepAlive: false })
    const args = { text: 'x'.repeat(bytes) }
    const all = await Promise.all(Array.from({ length: callers }, () => called(name, agent, args)))
    const answered = all.filter(({ status, text }) => status === 200 && !text.includes('busy'))
    const refused = all.filter(
      ({ status, text }) => status === 429 || status === 503 || (status === 200 && text.includes('busy')),
    )
    const cut = all.filter(({ status }) => status === 0 || status === 408)
    const others = all.filter((one) => ![answered, refused, cut].some((some) => some.includes(one)))
    return { answered: answered.length, refused: refused.length, others: others.map(({ status, text }) => `${status} ${text}`) }
  },
  async 'come back'(ask) {
    for (const agent of agents) agent.destroy()
    return acts.come(ask)
  },
}

process.on('disconnect', () => process.exit())
process.on('message', async (ask) => {
  const began = performance.now()
  const outcome = await acts[ask.what](ask)
  process.send({ ...(typeof outcome === 'number' ? { served: outcome } : outcome), ms: performance.now() - began })
})
