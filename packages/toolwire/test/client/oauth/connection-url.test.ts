// Tokens belong to the URL of a connection, even if the server redirects requests to other paths.
import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { sseEndpoint } from '../../../src/transports/http/client/http-endpoint.js'
import {
  answerTo,
  dial,
  event,
  events,
  json,
  RecordingListener,
  request,
  revisionOf,
  type Script,
  scriptedHttpServer,
} from '../../transports/http-client-fixture.js'
import { type Authority, authority } from './authority.js'
import { person } from './setting.js'

const metadataPath = '/.well-known/oauth-protected-resource'

/** Serves metadata for every path, and a challenge for requests without a token. */
function behindLogin({ issuer }: Authority, script: Script): Script {
  return (seen, response, count) => {
    const resource = `http://${seen.headers.host}${seen.path.slice(metadataPath.length)}`
    if (seen.path.startsWith(metadataPath)) json(response, { resource, authorization_servers: [issuer] })
    else if (seen.path.startsWith('/.well-known/')) response.writeHead(404).end()
    else if (seen.headers.authorization) script(seen, response, count)
    else response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
  }
}

/** An HTTP+SSE server of 2024-11-05 with the given endpoint for messages. */
function oldServer(endpoint: string): Script {
  let stream: ServerResponse | undefined
  return (seen, response) => {
    if (seen.method === 'GET') stream = events(response, `event: endpoint\ndata: ${endpoint}\n\n`)
    else {
      response.writeHead(202).end()
      stream?.write(event(answerTo(seen.body)))
    }
  }
}

it('the message endpoint of HTTP+SSE gets the token of the stream', async () => {
  await using as = await authority()
  const server = await scriptedHttpServer(behindLogin(as, oldServer('/messages?session=1')), '/sse')
  const { link, listener } = await dial(server.url, { credentials: person() }, sseEndpoint)
  link.send(request(1, 'tools/list', revisionOf('2024-11-05')))
  await listener.answer(1)
  const [stream, message] = server.seen.filter(({ headers }) => headers.authorization)
  expect([stream?.path, message?.path]).toEqual(['/sse', '/messages?session=1'])
  expect(message?.headers.authorization).toBe(stream?.headers.authorization)
  expect(as.authorizations().map((query) => query.get('resource'))).toEqual([server.url.href])
})

it('a message endpoint on another origin gets no token', async () => {
  await using as = await authority()
  const other = await scriptedHttpServer((_, response) => response.writeHead(401).end())
  const server = await scriptedHttpServer(behindLogin(as, oldServer(new URL('/messages', other.url).href)), '/sse')
  const credentials = person()
  await expect(sseEndpoint(server.url, { credentials }).dial(new RecordingListener())).rejects.toMatchObject({
    code: 'redirected',
  })
  expect(as.authorizations()).toHaveLength(1)
  expect(other.seen).toEqual([])
})

it('a redirect gets the token on the same origin, and none on another', async () => {
  await using as = await authority()
  const other = await scriptedHttpServer((_, response) => response.writeHead(401).end())
  const targets = ['/elsewhere', new URL('/mcp', other.url).href]
  const server = await scriptedHttpServer(
    behindLogin(as, (seen, response) => {
      if (seen.path === '/elsewhere') json(response, answerTo(seen.body))
      else response.writeHead(307, { location: targets.shift() }).end()
    }),
  )
  const { link, listener } = await dial(server.url, { credentials: person() })
  link.send(request(1))
  await listener.answer(1)
  link.send(request(2))
  expect(await listener.loss(2)).toMatchObject({ code: 'redirected' })
  expect(as.authorizations()).toHaveLength(1)
  expect(other.seen).toEqual([])
})

it('the person is asked once even if each request is redirected to another path', async () => {
  await using as = await authority()
  let count = 0
  const server = await scriptedHttpServer(
    behindLogin(as, (seen, response) => {
      if (seen.path === '/mcp') response.writeHead(307, { location: `/path/${++count}` }).end()
      else response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    }),
  )
  const { link, listener } = await dial(server.url, { credentials: person() })
  for (let id = 1; id <= 8; id++) {
    link.send(request(id))
    await listener.loss(id)
  }
  expect(as.authorizations()).toHaveLength(3)
})
