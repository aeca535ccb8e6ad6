// A child process that plays any fault over HTTP, chosen by the path `/<fault>/<style>/<run>`. It logs events to a file named after the run.
import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Ask, Fault, Filling, RevisionStyle, Wire } from './fault.js'
import { faults } from './faults.js'
import { answerOf, play } from './player.js'

const folder = process.argv[2] ?? '.'
const byName = new Map(faults.map((fault) => [fault.name, fault]))

/** A server on another origin, which the client must never contact. */
const elsewhere = createServer((request, response) => {
  const run = request.url?.split('/')[1] ?? ''
  note(run, `elsewhere${request.headers.authorization ? ' with credentials' : ''}`)
  response.end('{}')
})

const hostile = createServer(async (request, response) => {
  const [, name = '', style = '', run = ''] = decodeURIComponent(request.url ?? '').split('/')
  const fault = byName.get(name)
  if (!fault) return response.writeHead(404).end()
  response.on('error', () => note(run, 'deaf'))
  response.on('close', () => response.writableFinished || note(run, 'hangup'))
  // Only the test creates such paths, so the style is valid.
  const wire = wireOf({ request, response, style: style as RevisionStyle, run })
  if (request.headers['last-event-id'] !== undefined) wire.note('resumed')
  await serve(fault, wire, request, response)
})

async function serve(fault: Fault, wire: Wire, request: IncomingMessage, response: ServerResponse) {
  if (request.method !== 'POST') return other(fault, wire, request, response)
  const ask: Ask = JSON.parse(await bodyOf(request))
  if (ask.method === 'initialize' && wire.style === 'handshake') response.setHeader('mcp-session-id', 'session-1')
  await play(fault, wire, ask)
  if ((ask.id === undefined || ask.method === undefined) && !response.headersSent) response.writeHead(202).end()
}

function other(fault: Fault, wire: Wire, request: IncomingMessage, response: ServerResponse) {
  const script = fault.on?.[request.method ?? '']
  wire.note(request.method ?? '')
  return script ? script(wire, {}) : response.writeHead(405).end()
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

type Place = { request: IncomingMessage; response: ServerResponse; style: RevisionStyle; run: string }

function wireOf({ request, response, style, run }: Place): Wire {
  const wire: Wire = {
    style,
    carrier: 'http',
    elsewhere: `${urlOf(elsewhere)}/${run}`,
    http: { request, response },
    say: (message) => {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${textOf(message)}\n\n`)
    },
    last: (message) => {
      if (response.headersSent) response.end(`data: ${textOf(message)}\n\n`)
      else response.writeHead(200, { 'content-type': 'application/json' }).end(textOf(message))
    },
    answer: (ask, result) => wire.last(answerOf(wire, ask, result)),
    pour: (bytes, filling) => pour(response, bytes, filling),
    note: (word) => note(run, word),
  }
  return wire
}

async function pour(response: ServerResponse, bytes: number, filling: Filling = {}) {
  const { head = '', fill = 'x', tail = '', type = 'application/json' } = filling
  if (!response.headersSent) response.writeHead(200, { 'content-type': type })
  response.write(head)
  const piece = Buffer.from(fill.repeat(Math.ceil(65_536 / fill.length)))
  for (let sent = 0; sent < bytes && !response.destroyed; sent += piece.length) {
    if (!response.write(piece)) await drainedOrClosed(response)
  }
  response.end(tail)
}

const drainedOrClosed = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })

const textOf = (message: unknown) => (typeof message === 'string' ? message : JSON.stringify(message))
const note = (run: string, word: string) => appendFileSync(join(folder, run), `${word}\n`)
// Both servers listen on TCP before this is called.
const urlOf = (server: typeof hostile) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

process.on('disconnect', () => process.exit())
elsewhere.listen(0, '127.0.0.1', () =>
  hostile.listen(0, '127.0.0.1', () => process.send?.(`${urlOf(hostile)} ${urlOf(elsewhere)}`)),
)
