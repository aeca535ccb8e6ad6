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

/** Adds, replaces and takes away while the server runs; clients are told. */
export interface LiveEntries<Definition> {
  readonly names: readonly string[]
  add(name: string, definition: Definition): void
  /** Offers exactly these from now on, in this order; what is the same as before is not announced. */
  set(definitions: Iterable<readonly [name: string, definition: Definition]>): void
  /** The same for many, with pauses in which others get their turn; nothing changes if it is not wanted any more. */
  setInTurns(definitions: Iterable<readonly [name: string, definition: Definition]>, isWanted?: () => boolean): Promise<void>
  replace(name: string, definition: Definition): void
  remove(name: string): void
  enable(name: string): void
  disable(name: string): void
  /** Tells the clients that see any of these, or of all of them, to list again: they may be shown others than before. */
  announce(names?: readonly string[]): void
}

/** The resources that any client wants to hear about now. */
export interface WatchedResources {
  readonly uris: ReadonlySet<string>
  /** Calls back when they may be others, until the returned function is called. */
  onChange(listener: () => void): () => void
}

/** A server as a value: mount it anywhere, as often as you like. Its type carries its tools to a typed client. */
export interface Server<T extends ToolSet = ToolSet> extends Served {
  readonly '~tools': T
  readonly name: string
  readonly tools: LiveEntries<AnyTool> & {
    /** Calls back with each tool that is made ready from now on, before it is offered; until the returned function is called. */
    onRegister(listener: (tool: ReadyTool) => void): () => void
  }
  readonly resources: LiveEntries<Resource | Template> & {
    updated(uri: string): void
    /** Whose resource that is, where definitions say so; undefined where it is not known, or might be that of several. */
    serverOf(uri: string): string | undefined
  }
  readonly watched: WatchedResources
  readonly prompts: LiveEntries<Prompt>
  /** Where calls are recorded: what `auditHere` gives if nothing else was said; undefined where it is switched off. */
  readonly audit: AuditLog | undefined
  /** Puts another guard around what begins from now on; what is under way ends under the one that it began with. */
  guard(guarding: ServerGuard): void
  /** Answers a web-standard request, for runtimes that call `export default app`. */
  readonly fetch: (request: Request, ...rest: unknown[]) => Promise<Response>
}

/**
 * Puts tools, resources and prompts together into a server.
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
    // Loaded when first needed: a server on stdio has no use for it.
    answering ??= import('../transports/http/server/fetch/fetch-handler.js').then(({ fetchHandler }) =>
      fetchHandler(app, options.http),
    )
    return (await answering)(request)
  }
  return {
    '~tools': options.tools as T, // without any, T is an empty set
    '~application': app,
    name: options.name,
    // A registry takes definitions in and keeps what it made of them to itself.
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
