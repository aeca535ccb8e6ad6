// Records the HTTP requests of a client and the content types of the responses.
export type Tap = {
  /** Requests in the order of sending, such as `POST tools/call`, `GET`, `DELETE`, or `GET from there` for a resumed stream. */
  readonly sent: string[]
  /** Content types of the responses to POST. */
  readonly types: Set<string>
  readonly fetch: (request: Request) => Promise<Response>
}

/** Forwards each request to the server, or to a replacement. */
export function tap(answer: (request: Request) => Promise<Response> = fetch): Tap {
  const sent: string[] = []
  const types = new Set<string>()
  return {
    sent,
    types,
    fetch: async (request) => {
      const from = request.headers.has('last-event-id') ? ' from there' : ''
      const posted = request.method === 'POST' ? ` ${JSON.parse(await request.clone().text()).method ?? 'response'}` : ''
      sent.push(`${request.method}${posted}${from}`)
      const response = await answer(request)
      const type = response.headers.get('content-type')?.split(';')[0]
      if (posted && response.ok && type) types.add(type)
      return response
    },
  }
}
