import { TransportError } from '../../../peer/client-transport.js'
import type { Revision } from '../../../revisions/revision.js'

/** spec 2025-11-25, basic/transports#session-management: visible ASCII only. */
const visible = /^[\x21-\x7e]+$/

/** The headers of every request to one server. The session id is kept only here, because it is as sensitive as a password. */
export class SessionHeaders {
  readonly #users: readonly string[]
  #session: string | undefined
  #posts: string[] = []
  /** The revision of the prepared headers; null if they are outdated. */
  #postsOf: Revision | undefined | null = null

  constructor(users: readonly string[]) {
    this.#users = users
  }

  posts(revision: Revision | undefined, mirrored?: readonly string[]): string[] {
    if (this.#postsOf !== revision) this.#prepare(revision)
    return mirrored === undefined ? this.#posts : this.#posts.concat(mirrored)
  }

  /** The headers for a stream of events, from the beginning or after the event with that id. */
  streams(revision: Revision | undefined, lastId: string): string[] {
    const after = lastId === '' ? [] : ['last-event-id', lastId]
    return [...this.#users, 'accept', 'text/event-stream', ...this.#common(revision), ...after]
  }

  ends(revision: Revision | undefined): string[] {
    return [...this.#users, ...this.#common(revision)]
  }

  hasSession(revision: Revision | undefined): boolean {
    return this.#session !== undefined && revision?.http.sessions === true
  }

  openSession(id: string | undefined): void {
    if (id !== undefined && !visible.test(id)) {
      throw new TransportError('garbage', 'The server opened a session whose id is not visible ASCII', { sent: true })
    }
    this.#session = id
    this.#postsOf = null
  }

  #prepare(revision: Revision | undefined): void {
    const form = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream']
    this.#posts = [...this.#users, ...form, ...this.#common(revision)]
    this.#postsOf = revision
  }

  #common(revision: Revision | undefined): string[] {
    const headers = ['accept-encoding', 'identity']
    if (revision?.http.versionHeader) headers.push('mcp-protocol-version', revision.version)
    if (this.#session !== undefined && revision?.http.sessions) headers.push('mcp-session-id', this.#session)
    return headers
  }
}
