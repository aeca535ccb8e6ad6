// The bare HTTP control: node:http, one parse, one answer.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Asked, answerOf } from './control-answers.js'
import { openStream, tellAll } from './control-streams.js'

function reply(asked: Asked, response: ServerResponse): void {
  if (asked.method === 'subscriptions/listen') openStream(String(asked.id), response)
  else if (asked.id === undefined) response.writeHead(202, { 'content-length': 0 }).end()
  else answer(asked, response)
}

function answer(asked: Asked, response: ServerResponse): void {
  if (asked.params?.name === 'touch') tellAll()
  const body = Buffer.from(answerOf(asked))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => reply(JSON.parse(Buffer.concat(chunks).toString()), response))
}

const server = createServer(receive)
server.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => {
  // A TCP server's address is an object; only pipes have a string.
  process.stderr.write(`READY ${(server.address() as AddressInfo).port}\n`)
})
