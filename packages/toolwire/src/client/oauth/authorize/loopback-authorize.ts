import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { checkOptions, optionsOf } from '../../../tools/checks/known-options.js'
import { someFunction, wholeNumber } from '../../../tools/checks/option-values.js'
import { isLoopback } from '../egress/reach.js'
import type { OAuthOptions } from '../grants/authorization-code.js'
import { OAuthFailure } from '../oauth-failure.js'
import { checkPageUrl, openPage } from './open-page.js'

export type LoopbackAuthorizeOptions = {
  /** The port to listen on, if it is not that of the redirect URI. */
  port?: number
  /** Shows the page; by default in this machine's browser. */
  open?: (url: URL) => Promise<void> | void
}

const known = optionsOf<LoopbackAuthorizeOptions>()({ port: wholeNumber(0), open: someFunction })

/**
 * Opens the authorization page in a browser, and waits on this machine for the redirect. For `oauth`, in Node only.
 *
 * @example
 * ```ts
 * const credentials = oauth({ redirectUri: 'http://127.0.0.1:8976/callback', authorize: loopbackAuthorize() })
 * ```
 */
export function loopbackAuthorize(options: LoopbackAuthorizeOptions = {}): OAuthOptions['authorize'] {
  checkOptions('loopbackAuthorize()', options, known)
  return async (page, { signal }) => {
    checkPageUrl(page)
    const redirect = new URL(page.searchParams.get('redirect_uri') ?? '')
    if (redirect.protocol !== 'http:' || !isLoopback(redirect))
      throw new OAuthFailure('bad_options', 'The redirect URI is not an http URL on this machine')
    const { createServer } = await import('node:http')
    checkNotOver(signal)
    const server = createServer()
    try {
      await listening(server, redirect, options.port)
      checkNotOver(signal)
      const [answer] = await Promise.all([awaitRedirect(server, redirect, signal), (options.open ?? openPage)(page)])
      return answer
    } finally {
      server.close()
      server.closeAllConnections()
    }
  }
}

function listening(server: Server, redirect: URL, port = Number(redirect.port || 80)): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, redirect.hostname.replace(/^\[|\]$/g, ''), resolve)
  })
}

/** Resolves with the first request for the path of the redirect URI. Other requests, such as for icons, get a 404. */
function awaitRedirect(server: Server, redirect: URL, signal: AbortSignal): Promise<URL> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(notInTime()), { once: true })
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const came = URL.canParse(request.url ?? '', redirect.href) ? new URL(request.url ?? '', redirect) : undefined
      if (request.method !== 'GET' || came?.origin !== redirect.origin || came.pathname !== redirect.pathname)
        return void response.writeHead(404).end()
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
      response.end('You can close this page now.', () => resolve(came))
    })
  })
}

/** Nobody waits for the answer any more, so no page is opened. */
function checkNotOver(signal: AbortSignal): void {
  if (signal.aborted) throw notInTime()
}

const notInTime = () => new OAuthFailure('timed_out', 'The browser did not return from the authorization page in time')
