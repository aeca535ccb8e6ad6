// A local web server that records its requests.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Asked = {
  readonly method: string
  /** The path with the query. */
  readonly target: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}
export type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
export type Handler = (asked: Asked) => Answer | Promise<Answer>

export interface Web extends AsyncDisposable {
  readonly origin: string
  readonly seen: Asked[]
  /** The requests to the path. */
  at(path: string): Asked[]
}

export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
})
export const nothing: Answer = { status: 404 }

export async function web(handle: (origin: string) => Handler): Promise<Web> {
  const seen: Asked[] = []
  let origin = ''
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', origin)
    const method = request.method ?? ''
    const asked = { method, target: request.url ?? '', path: pathname, query: searchParams, headers: request.headers }
    const whole = { ...asked, body: await text(request) }
    seen.push(whole)
    const answer = await handle(origin)(whole)
    response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // node:http listens on TCP, so the address is an object.
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    seen,
    at: (path) => seen.filter((one) => one.path === path),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
