// Lets programs use `await using` even if their `lib` option does not include disposables.
/// <reference lib="esnext.disposable" preserve="true" />

import type { CancelToken } from '../bounds/cancel-token.js'
import type { Json, JsonObject } from '../json.js'
import type { AuditLog } from '../policy/audit/log.js'
import type { SanitizeFinding } from '../policy/sanitize/sanitize-rules.js'
import type { ClientCapabilities } from '../revisions/revision.js'
import type { CallResult, Calls } from '../tools/call-result.js'
import type { Icon, ResourceContents } from '../tools/content.js'
import type { LogLevel } from '../tools/context.js'
import type { RemoteTool } from './calls/remote-tool.js'

export type RequestOptions = {
  signal?: CancelToken
  /** Longest silence and longest total time, in milliseconds. */
  idleMs?: number
  totalMs?: number
  onProgress?: (progress: Progress) => void
  /** More `_meta` of your own, such as `traceparent`. */
  meta?: JsonObject
}
/** The progress of a call, as its server reports it. */
export type Progress = { readonly progress: number; readonly total?: number; readonly message?: string }

/** Handlers for one request, on a connection that several people share. */
export type CallHandlers = {
  /** Handlers for questions about this request, instead of those of the connection. `asks` declares them to older servers. */
  answers?: Answering
  /** The kinds of questions to declare as supported; by default, those that `answers` handles. */
  asks?: AnswerKinds
  /** Puts questions that arrive together to `answers` in parallel, instead of one after the other. */
  atOnce?: boolean
  /** Passes on every progress report instead of ten a second, for a relay that throttles them itself. */
  eachProgress?: boolean
  /** Called for the server's log messages about this request, if they can be attributed to it. */
  onLog?: (entry: LogEntry) => void
  /**
   * The person that the request is made for. On a pipe, older servers ask without naming a request, so a question is refused while
   * requests of several people are pending, or have ended less than 30 seconds ago. By then, all objects count as one person. Each request
   * without this option counts as made for another person until it ends. Results for a person are not cached.
   */
  onBehalfOf?: string | object
}
export type LogEntry = { level: LogLevel; data: Json; logger?: string }

/** Options of one call. */
export type CallOptions = RequestOptions &
  CallHandlers & {
    /** Called with the id when the call becomes a task, so that it can be resumed after a restart. */
    onTask?: (taskId: string) => void
    /** Calls the tool as a task if it supports that, not only if it requires it. For calls that may take long. */
    asTask?: boolean
    /**
     * `Mcp-Param-*` headers to relay from the original caller, as alternating names and values. They are sent unchanged where the
     * revision has them, except those that the tool fills from its arguments.
     */
    paramHeaders?: readonly string[] | undefined
    /**
     * Called right before the call is sent, with the tool as the server lists it in this session; if it throws, nothing is sent. It is
     * called again if the call is sent again in another session. Relays use it, because their own checks may be older.
     */
    beforeSend?: ((tool: RemoteTool) => void | Promise<void>) | undefined
  }
/** `fresh` asks the server even if the list is known. */
export type ListOptions = RequestOptions & { fresh?: boolean }

/** The server's description of itself: untrusted text, for display and logs only. */
export type ServerAbout = {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly title: string | undefined
  readonly instructions: string | undefined
  /** Findings of `guard.sanitize` in the instructions. */
  readonly findings: readonly SanitizeFinding[]
  readonly icons: readonly Icon[]
  readonly capabilities: JsonObject
  readonly revision: string
}

export type RemoteResource = { uri: string; name: string; title?: string; description?: string; mimeType?: string } & JsonObject
export type RemoteTemplate = { uriTemplate: string; name: string } & JsonObject
export type RemotePrompt = { name: string; title?: string; description?: string } & JsonObject
export type Completion = { values: string[]; total?: number; hasMore?: boolean }
export type CompletionRef = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }

export type Change = { kind: 'tools' } | { kind: 'prompts' } | { kind: 'resources' } | { kind: 'resource'; uri: string }

/** Tools as functions: typed if the server's type is known, else callable under any name. */
export type ToolsOf<S> = S extends { readonly '~tools': infer T }
  ? Calls<T, CallOptions>
  : { readonly [name: string]: (input?: JsonObject, options?: CallOptions) => Promise<Json | CallResult> }

/** A connection to one server. `S` is the type of the server, if known: `connect<typeof app>(…)`. */
export interface Client<S = unknown> extends AsyncDisposable {
  /** This side's name for the server: the `name` option, its key in a pool, or its address. Not the name that the server gives itself. */
  readonly name: string
  readonly server: ServerAbout
  /** The audit log of calls: in memory by default, undefined if switched off. */
  readonly audit: AuditLog | undefined
  /** Tools as functions. They return the structured result, or the whole result if there is none; a failed call throws. */
  readonly tools: ToolsOf<S>
  /** Calls a tool and returns its result, failed or not. */
  call(name: string, args?: JsonObject, options?: CallOptions): Promise<CallResult>
  /** Waits for the task of an earlier call, by the id that its `onTask` received, even in another process. */
  resume(taskId: string, options?: CallOptions & { tool?: string }): Promise<CallResult>
  /** All pages of the list. */
  listTools(options?: ListOptions): Promise<readonly RemoteTool[]>
  listResources(options?: ListOptions): Promise<readonly RemoteResource[]>
  listResourceTemplates(options?: ListOptions): Promise<readonly RemoteTemplate[]>
  readResource(uri: string, options?: RequestOptions & CallHandlers): Promise<readonly ResourceContents[]>
  listPrompts(options?: ListOptions): Promise<readonly RemotePrompt[]>
  getPrompt(name: string, args?: Record<string, string>, options?: RequestOptions & CallHandlers): Promise<JsonObject>
  complete(
    ref: CompletionRef,
    argument: { name: string; value: string },
    options?: RequestOptions & CallHandlers & { context?: Record<string, string> },
  ): Promise<Completion>
  /** Calls the listener for each change, until the returned function is called. */
  onChange(listener: (change: Change) => void): () => void
  /** Watches a resource and all below it, whose changes `onChange` then reports by their own URIs; the returned function ends it. */
  watch(uri: string): Promise<() => Promise<void>>
  setLogLevel(level: LogLevel): Promise<void>
  ping(options?: RequestOptions): Promise<void>
  /** @deprecated Tells an older server that the roots have changed. */
  rootsChanged(): void
  request(method: string, params?: JsonObject, options?: RequestOptions & CallHandlers): Promise<JsonObject>
  notify(method: string, params?: JsonObject): void
  close(): Promise<void>
}

/** A question from a server to the person, the model or the roots behind this client. */
export type Asked = {
  /** This side's name for the server. */
  readonly server: string
  readonly signal: AbortSignal
  /** The question's key within its request, in revisions that have keys. */
  readonly key?: string
}
export type FormAsked = Asked & {
  readonly message: string
  readonly schema: JsonObject
  /** The defaults of the schema, to show in the form before anyone has typed. */
  readonly prefilled: JsonObject
}
export type PageAsked = Asked & {
  readonly message: string
  readonly url: string
  readonly host: string
  /** Oddities of the address, to show before consent. */
  readonly warnings: readonly string[]
  /** Resolves when the server reports that the person is done there, if it can. */
  readonly completed?: Promise<void>
}
export type ModelAsked = Asked & { readonly request: JsonObject }

export type FormAnswer = { action: 'accept'; content: JsonObject } | { action: 'decline' } | { action: 'cancel' }
export type PageAnswer = { action: 'accept' | 'decline' | 'cancel' }

/** Handlers for a server's questions. Kinds without a handler are declared as not supported. */
export type Answering = {
  form?: (asked: FormAsked) => FormAnswer | Promise<FormAnswer>
  /** Must show the whole address and get consent before opening it anywhere; nothing has been fetched. */
  page?: (asked: PageAsked) => PageAnswer | Promise<PageAnswer>
  /** @deprecated Kept for servers that still use sampling. Throw `Declined` when the person says no. */
  model?: (asked: ModelAsked) => JsonObject | Promise<JsonObject>
  /** @deprecated Kept for servers that still use roots. */
  roots?: readonly { uri: string; name?: string }[] | ((asked: Asked) => Promise<readonly { uri: string; name?: string }[]>)
}

export type AnswerKinds = { readonly [K in keyof Answering]?: boolean }

export type { CallResult, ClientCapabilities, Json }
