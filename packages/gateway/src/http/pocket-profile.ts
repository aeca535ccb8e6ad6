// An endpoint in two profiles: which one is for the client's address to say.
import type { Server } from 'toolwire'
import { type HttpOptions, nodeHandler } from 'toolwire/node'
import { sendJson } from '../api/responses.js'

type Handler = ReturnType<typeof nodeHandler>

/** Where the address says `?profile=pocket`, the pocket digest is spoken; without a word, every official revision. */
export function profileHandler(app: Server, options: HttpOptions): Handler {
  const { legacySse: _, ...others } = options
  const official = nodeHandler(app, options)
  const handlers: { readonly [profile: string]: Handler } = {
    official,
    pocket: nodeHandler(app, { ...others, profile: 'pocket' }),
  }
  return (req, res) => {
    const profile = profileIn(req.url)
    if (profile === undefined) return official(req, res)
    const handler = Object.hasOwn(handlers, profile) ? handlers[profile] : undefined
    if (handler) return handler(req, res)
    req.resume()
    sendJson(res, 400, { error: 'There is no such profile: say ?profile=pocket, or leave it out' })
  }
}

function profileIn(url = ''): string | undefined {
  const at = url.indexOf('?')
  return at < 0 ? undefined : (new URLSearchParams(url.slice(at)).get('profile') ?? undefined)
}
