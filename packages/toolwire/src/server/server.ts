import type { Served } from '../peer/application.js'
import type { AuditLog } from '../policy/audit/log.js'
import type { Prompt } from '../tools/prompt.js'
import type { Resource, Template } from '../tools/resource.js'
import type { AnyTool, ReadyTool } from '../tools/tool.js'
import type { HttpOptions } from '../transports/http/server/options.js'
import { App } from './app.js'
import { checkServerOptions } from './check-options.js'
import type { ServerGuard, ServerOptions, ToolSet } from './options.js'
import { serverOfUri } from './reads/resources.js'

/** Adds, replaces and removes entries while the server runs; clients are notified. */
export interface LiveEntries<Definition> {
  readonly names: readonly string[]
  add(name: string, definition: Definition): void
  /** Replaces all entries with these, in this order; unchanged ones are not announced. */
  set(definitions: Iterable<readonly [name: string, definition: Definition]>): void
  /** Like `set` for many entries, but yields to other work meanwhile. Changes nothing if `isWanted` turns false. */
  setInTurns(definitions: Iterable<readonly [name: string, definition: Definition]>, isWanted?: () => boolean): Promise<void>
  replace(name: string, definition: Definition): void
  remove(name: string): void
  enable(name: string): void
  disable(name: string): void
  /** Announces a change of these entries, or of all, so that clients that see any of them list again. */
  announce(names?: readonly string[]): void
}

/** The resources that clients watch now. */
export interface WatchedResources {
  readonly uris: ReadonlySet<string>
  /** Calls back when the set may have changed, until the returned function is called. */
  onChange(listener: () => void): () => void
}

/** A server as a value that can be mounted any number of times. Its type tells a typed client its tools. */
export interface Server<T extends ToolSet = ToolSet> extends Served {
  readonly '~tools': T
  readonly name: string
  readonly tools: LiveEntries<AnyTool> & {
    /** The enabled tools as they are served. The same array until something changes. */
    readonly all: readonly ReadyTool[]
    /** The enabled tool of this name. */
    get(name: string): ReadyTool | undefined
    /** Calls back with each tool that is prepared from now on, before it is listed, until the returned function is called. */
    onRegister(listener: (tool: ReadyTool) => void): () => void
  }
  readonly resources: LiveEntries<Resource | Template> & {
    updated(uri: string): void
    /** The server that owns the resource, if definitions name it; undefined if it is unknown or ambiguous. */
    serverOf(uri: string): string | undefined
  }
  readonly watched: WatchedResources
  readonly prompts: LiveEntries<Prompt>
  /** The audit log of calls, `memoryAudit()` by default; undefined if auditing is off. */
  readonly audit: AuditLog | undefined
  /** Replaces the guard for calls that begin from now on; calls in progress keep theirs. */
  guard(guarding: ServerGuard): void
  /** Answers a web-standard request, for runtimes that call `export default app`. */
  readonly fetch: (request: Request, ...rest: unknown[]) => Promise<Response>
}

/**
 * Creates a server from tools, resources and prompts.
 *
 * @example
 * ```ts
 * const ping = tool({ description: 'Answers', run: () => 'pong' })
 * const shop = server({ name: 'shop', version: '1.0.0', tools: { ping } })
 * ```
 */
export function server<const T extends ToolSet = Record<never, never>>(
  options: ServerOptions<T> & { http?: HttpOptions },
): Server<T> {
  checkServerOptions(options)
  const app = new App(options)
  let answering: Promise<(request: Request) => Promise<Response>> | undefined
  const fetch = async (request: Request) => {
    // Loaded on first use, because a server on stdio does not need it.
    answering ??= import('../transports/http/server/fetch/fetch-handler.js').then(({ fetchHandler }) =>
      fetchHandler(app, options.http),
    )
    return (await answering)(request)
  }
  return {
    '~tools': options.tools as T, // without any, T is an empty set
    '~application': app,
    name: options.name,
    // A registry accepts definitions; the values that it prepares from them are internal.
    tools: app.catalog.tools as unknown as Server['tools'],
    resources: Object.assign(app.catalog.resources, { serverOf: (uri: string) => serverOfUri(app, uri) }),
    watched: app.watched,
    prompts: app.catalog.prompts,
    get audit() {
      return app.audit
    },
    guard: (guarding) => app.guard(guarding),
    fetch,
  }
}
