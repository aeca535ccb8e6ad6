// The minimal proxy in Node: forwards requests over kept connections, and relays the responses.
// usage: node control-proxy.js http PORT      (UPSTREAM: the port it forwards to)
import { Agent, createServer, request } from 'node:http'

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const port = Number(process.env.UPSTREAM)

const server = createServer((incoming, outgoing) => {
  const { host: _, connection: __, ...headers } = incoming.headers
  const forwarded = request(
    { host: '127.0.0.1', port, agent, method: incoming.method, path: incoming.url, headers },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    },
  )
  forwarded.on('error', () => outgoing.destroy())
  incoming.pipe(forwarded)
})
server.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => {
  const address = server.address()
  process.stderr.write(`READY ${typeof address === 'object' ? address?.port : address}\n`)
})
