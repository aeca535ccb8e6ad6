// The clients of the official SDKs with servers that are mounted in web frameworks.
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import type { Server } from 'toolwire'
import { nodeHandler } from 'toolwire/node'
import { describe, expect, it } from 'vitest'
import { fixture } from './fixture.js'
import type { Peer } from './peer.js'
import { connectV1 } from './peer-v1.js'
import { connectV2 } from './peer-v2.js'
import { eventually } from './program.js'

type Mount = (app: Server) => HttpServer | Promise<HttpServer>
const mounts: [string, Mount][] = [
  ['Express behind its body parser', (app) => createServer(express().use(express.json()).use('/mcp', nodeHandler(app)))],
  ['Hono', (app) => createServer(getRequestListener(new Hono().all('/mcp', ({ req }) => app.fetch(req.raw)).fetch))],
  ['Fastify', inFastify],
]

async function inFastify(app: Server): Promise<HttpServer> {
  const fastify = Fastify()
  const handle = nodeHandler(app)
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', (_request, _payload, done) => done(null))
  fastify.all('/mcp', (request, reply) => {
    reply.hijack()
    handle(request.raw, reply.raw)
  })
  await fastify.ready()
  return fastify.server
}

const clients: [string, (url: URL) => Promise<Peer>][] = [
  ['SDK v1', (url) => connectV1(new TransportV1(url))],
  ['SDK v2, 2025-11-25', (url) => connectV2(new TransportV2(url), { legacy: '2025-11-25' })],
  ['SDK v2, 2026-07-28', (url) => connectV2(new TransportV2(url), 'modern')],
]

describe.each(mounts)('Mounted in %s', (_, mount) => {
  it.each(clients)('a server works with %s', async (_, connect) => {
    const server = await mount(fixture())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // the server listens on TCP
    try {
      await using peer = await connect(new URL(`http://127.0.0.1:${port}/mcp`))
      const steps: number[] = []
      const onprogress = ({ progress }: { progress: number }) => {
        steps.push(progress)
        void peer.call('go')
      }
      await peer.call('paced', { steps: 3 }, { onprogress })
      expect(steps).toEqual([1, 2, 3])
      expect(await peer.call('ask')).toMatchObject({ content: [{ type: 'text', text: 'Hello Ada' }] })
      await peer.call('grow')
      expect(await eventually(() => peer.received.tools.at(-1)?.includes('grown') ?? false)).toBe(true)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
