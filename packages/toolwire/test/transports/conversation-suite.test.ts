import { createServer, type Server } from 'node:http'
import { createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { listen, nodeHandler } from '../../src/node.js'
import { fetchHandler } from '../../src/transports/http/server/fetch/fetch-handler.js'
import { memoryPair } from '../../src/transports/memory/memory-pair.js'
import { serveLines } from '../../src/transports/stdio/server/serve-lines.js'
import { conversationSuite, type Mount } from './conversation-suite.js'
import { modern, versions } from './fixture.js'
import { HttpPeer, linePeer, memoryPeer, socketPeer, twoEndpointPeer } from './peers.js'

const memory: Mount = (app) => ({ open: async () => memoryPeer(memoryPair(app['~application'])), close: () => {} })

const streams: Mount = (app) => ({
  open: async () => {
    const [to, from] = [new PassThrough(), new PassThrough()]
    void serveLines(app, { readable: to, writable: from })
    return linePeer({ readable: from, writable: to, close: () => to.end() })
  },
  close: () => {},
})

const unixSocket: Mount = async (app) => {
  const path = join(tmpdir(), `toolwire-${process.pid}-${crypto.randomUUID().slice(0, 8)}.sock`)
  const sockets = createSocketServer(
    (socket) => void serveLines(app, { readable: socket, writable: socket }).then(() => socket.destroy()),
  )
  await new Promise<void>((resolve) => sockets.listen(path, resolve))
  return { open: async () => socketPeer(path), close: () => void sockets.close() }
}

const http: Mount = async (app) => {
  const listening = await listen(app, { signals: false })
  return { open: async () => new HttpPeer(listening.url), close: listening.close }
}

const twoEndpoints: Mount = async (app) => {
  const listening = await listen(app, { signals: false, legacySse: true })
  return { open: () => twoEndpointPeer(new URL(listening.url).origin), close: listening.close }
}

const web: Mount = (app) => {
  const handler = fetchHandler(app['~application'])
  return { open: async () => new HttpPeer('http://localhost/mcp', handler), close: () => {} }
}

const started = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as { port: number }
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { open: async () => new HttpPeer(`http://127.0.0.1:${address.port}/mcp`), close }
}

const inExpress: Mount = (app) => started(createServer(express().use('/mcp', nodeHandler(app))))
const inParsingExpress: Mount = (app) => started(createServer(express().use(express.json()).use('/mcp', nodeHandler(app))))
const inFastify: Mount = async (app) => {
  const fastify = Fastify()
  const handle = nodeHandler(app)
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null))
  fastify.all('/mcp', (request, reply) => {
    reply.hijack()
    handle(request.raw, reply.raw)
  })
  await fastify.ready()
  return started(fastify.server)
}
const inHono: Mount = (app) => {
  const hono = new Hono().all('/mcp', (context) => app.fetch(context.req.raw))
  return { open: async () => new HttpPeer('http://localhost/mcp', async (request) => hono.fetch(request)), close: () => {} }
}

for (const version of [...versions, modern]) {
  conversationSuite('BASE-025 memory', version, memory)
  conversationSuite('BASE-025 streams of lines', version, streams)
  conversationSuite('SHTTP-006 HTTP-007 HTTP', version, http)
}
conversationSuite('BASE-025 a Unix socket', '2025-11-25', unixSocket)
conversationSuite('BASE-025 a Unix socket', modern, unixSocket)
conversationSuite('SSE1-001 HTTP+SSE', '2024-11-05', twoEndpoints)
for (const version of ['2025-06-18', modern]) {
  conversationSuite('fetch', version, web)
  conversationSuite('mounted in Express', version, inExpress)
  conversationSuite('mounted in Express behind its body parser', version, inParsingExpress, { parsesBodies: true })
  conversationSuite('mounted in Fastify', version, inFastify)
  conversationSuite('mounted in Hono', version, inHono)
}
