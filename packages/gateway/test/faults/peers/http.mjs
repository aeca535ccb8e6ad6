// A program that plays scripts over HTTP by the path `/<script>/<style>/<run>`, and reports its notes to the parent process.
import { createServer } from 'node:http'
import { scripts } from './http-scripts.mjs'
import { complete, play, response as responseTo } from './player.mjs'

const note = (run, word) => process.send?.({ run, word })
const textOf = (message) => (typeof message === 'string' ? message : JSON.stringify(message))
const sockets = new WeakMap()
let lastSocket = 0

/** The target of redirects, which no request may reach. */
const elsewhere = createServer((request, response) => {
  note(request.url.split('/')[1], 'elsewhere')
  response.end('{}')
})

const issuer = { good: '', count: 0, run: '' }
const origin = () => `http://127.0.0.1:${peer.address().port}`

/** An authorization server: its metadata and tokens. RFC 8414, RFC 9728 */
function issues(request, response) {
  const path = request.url.split('?')[0]
  const say = (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  if (path.startsWith('/.well-known/oauth-protected-resource')) {
    const resource = `${origin()}${path.slice('/.well-known/oauth-protected-resource'.length)}`
    issuer.run = resource.split('/').at(-1)
    return say({ resource, authorization_servers: [origin()] })
  }
  if (path.startsWith('/.well-known/'))
    return say({
      issuer: origin(),
      token_endpoint: `${origin()}/token`,
      authorization_endpoint: `${origin()}/authorize`,
      response_types_supported: ['code'],
      grant_types_supported: ['client_credentials'],
      code_challenge_methods_supported: ['S256'],
    })
  request.resume()
  const token = `token-${++issuer.count}`
  issuer.good = `Bearer ${token}`
  note(issuer.run, `issued ${issuer.count}`)
  return setTimeout(() => say({ access_token: token, token_type: 'Bearer', expires_in: 3_600 }), 100)
}

process.on('message', () => {
  issuer.good = ''
  note(issuer.run, 'revoked')
})

const peer = createServer(async (request, response) => {
  if (request.url.startsWith('/.well-known/') || request.url === '/token') return issues(request, response)
  const [, name, style, run] = decodeURIComponent(request.url).split('/')
  const script = scripts[name]
  if (!script) return response.writeHead(404).end()
  const wire = wireOf({ request, response, style, run })
  response.on('error', () => undefined)
  response.on('close', () => response.writableFinished || wire.note('hangup'))
  if (request.method !== 'POST') {
    wire.note(request.method)
    return script[request.method] ? script[request.method](wire) : response.writeHead(405).end()
  }
  const ask = JSON.parse(await bodyOf(request))
  if (ask.method === 'initialize') response.setHeader('mcp-session-id', `session-${run}`)
  await play(script, wire, ask)
  if ((ask.id === undefined || ask.method === undefined) && !response.headersSent) response.writeHead(202).end()
})

async function bodyOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function wireOf({ request, response, style, run }) {
  const { socket } = request
  if (!sockets.has(socket)) sockets.set(socket, ++lastSocket)
  const wire = {
    ...{ style, run, request, response, socket: sockets.get(socket) },
    ...{ issuer, origin: origin() },
    elsewhere: `http://127.0.0.1:${elsewhere.address().port}/${run}`,
    note: (word) => note(run, word),
    say(message) {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${textOf(message)}\n\n`)
    },
    last(message) {
      if (response.headersSent) response.end(`data: ${textOf(message)}\n\n`)
      else response.writeHead(200, { 'content-type': 'application/json' }).end(textOf(message))
    },
    answer: (ask, result) => wire.last(responseTo(ask.id, complete(style, result))),
    pour: (bytes, filling) => pour(wire, bytes, filling),
  }
  return wire
}

/** Sends a number of bytes, no faster than the client reads; notes how many were sent. */
async function pour({ response, note }, bytes, { head = '', fill = 'x', type = 'application/json' } = {}) {
  response.writeHead(200, { 'content-type': type })
  response.write(head)
  const piece = Buffer.from(fill.repeat(Math.ceil(65_536 / fill.length)))
  let sent = 0
  for (; sent < bytes && !response.destroyed; sent += piece.length) {
    if (response.write(piece)) continue
    await new Promise((resolve) => {
      const done = () => {
        response.off('drain', done).off('close', done)
        resolve()
      }
      response.on('drain', done).on('close', done)
    })
  }
  note(`poured ${sent}`)
  response.end()
}

process.on('disconnect', () => process.exit())
peer.keepAliveTimeout = 60_000
elsewhere.listen(0, '127.0.0.1', () =>
  peer.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${peer.address().port}` })),
)
