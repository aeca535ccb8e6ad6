// Watches what a client sends over HTTP, and how it is answered.
export type Tap = {
  /** `POST tools/call`, `GET`, `GET from there` to go on with a stream, `DELETE`… in the order in which they were sent. */
  readonly sent: string[]
  /** The content types of the answers to posted requests. */
  readonly types: Set<string>
  readonly fetch: (request: Request) => Promise<Response>
}

/** Passes everything on to the server, or to a stand-in. */
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
