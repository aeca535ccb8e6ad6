// Dispose with `await using`, also where the program names no library of the language newer than its target.
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

/** What one request may bring along. */
export type RequestOptions = {
  signal?: CancelToken
  /** Longest silence, and longest time in all, in milliseconds. */
  idleMs?: number
  totalMs?: number
  onProgress?: (progress: Progress) => void
  /** More `_meta` of your own, such as `traceparent`. */
  meta?: JsonObject
}
/** How far a call has come, as its server reports it. */
export type Progress = { readonly progress: number; readonly total?: number; readonly message?: string }

/** Who attends to one request, where many people share a connection. */
export type CallHandlers = {
  /** Handlers for questions about this request, instead of those of the connection. `asks` declares them to older servers. */
  answers?: Answering
  /** The kinds of questions to declare as supported; by default, those that `answers` handles. */
  asks?: AnswerKinds
  /** Puts questions that come together to `answers` side by side, instead of one after the other. */
  atOnce?: boolean
  /** Hears every report of progress, instead of ten a second: for somebody who passes them on, and holds them back there. */
  eachProgress?: boolean
  /** Hears what the server logs about this request, where that can be told. */
  onLog?: (entry: LogEntry) => void
  /**
   * Whom it is made for. On a pipe older servers ask without saying about which request: while requests for several people are under
   * way nobody is asked, and each request without a name counts as made for somebody else.
   */
  onBehalfOf?: string | object
}
export type LogEntry = { level: LogLevel; data: Json; logger?: string }

/** What one call may bring along. */
export type CallOptions = RequestOptions &
  CallHandlers & {
    /** Called when the call goes on as a task, so that it can be found again after a restart. */
    onTask?: (taskId: string) => void
    /** Makes it a task where the tool may be called as one, and not only where it must: for what may take long. */
    asTask?: boolean
    /**
     * `Mcp-Param-*` headers that came with the call from somebody for whom it is made: name, value, name, value. They are sent on as they
     * are, where the revision has them, unless the tool names them: then the arguments say what they are.
     */
    paramHeaders?: readonly string[] | undefined
  }
/** `fresh` asks the server even if the list is known. */
export type ListOptions = RequestOptions & { fresh?: boolean }

/** What a server has said about itself. Its words, so for showing and logging only. */
export type ServerAbout = {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly title: string | undefined
  readonly instructions: string | undefined
  /** What the rules of `guard.sanitize` have found in the instructions. */
  readonly findings: readonly SanitizeFinding[]
  readonly icons: readonly Icon[]
  readonly capabilities: JsonObject
  /** The revision that is spoken with it. */
  readonly revision: string
}

export type RemoteResource = { uri: string; name: string; title?: string; description?: string; mimeType?: string } & JsonObject
export type RemoteTemplate = { uriTemplate: string; name: string } & JsonObject
export type RemotePrompt = { name: string; title?: string; description?: string } & JsonObject
export type Completion = { values: string[]; total?: number; hasMore?: boolean }
export type CompletionRef = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }

/** What changed at the server. */
export type Change = { kind: 'tools' } | { kind: 'prompts' } | { kind: 'resources' } | { kind: 'resource'; uri: string }

/** Tools as functions: typed where the server's own type is known, else under any name. */
export type ToolsOf<S> = S extends { readonly '~tools': infer T }
  ? Calls<T, CallOptions>
  : { readonly [name: string]: (input?: JsonObject, options?: CallOptions) => Promise<Json | CallResult> }

/** A connection to one server; `S` is the type of the server, where it is known: `connect<typeof app>(…)`. */
export interface Client<S = unknown> extends AsyncDisposable {
  /** What this side calls the server: the key in a pool, else where it is. Not what the server calls itself. */
  readonly name: string
  readonly server: ServerAbout
  /** Where calls are recorded: what `auditHere` gives if nothing else was said; undefined where it is switched off. */
  readonly audit: AuditLog | undefined
  /** Tools as functions: the structured result back, or the whole result where none is declared; a failed call throws. */
  readonly tools: ToolsOf<S>
  /** A result to look at, failed or not. */
  call(name: string, args?: JsonObject, options?: CallOptions): Promise<CallResult>
  /** Waits for a task that an earlier call was told the id of, maybe in another process. */
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
    options?: RequestOptions & { context?: Record<string, string> },
  ): Promise<Completion>
  /** Calls back when something changes, until the returned function is called. */
  onChange(listener: (change: Change) => void): () => void
  /** Asks to hear when the resource changes; the returned function ends it. */
  watch(uri: string): Promise<() => Promise<void>>
  setLogLevel(level: LogLevel): Promise<void>
  ping(options?: RequestOptions): Promise<void>
  /** @deprecated Tells an older server that the roots are others now. */
  rootsChanged(): void
  /** Any request at all. */
  request(method: string, params?: JsonObject, options?: RequestOptions & CallHandlers): Promise<JsonObject>
  notify(method: string, params?: JsonObject): void
  close(): Promise<void>
}

/** What a server asked the person, the model or for the roots behind this client. */
export type Asked = {
  /** The name this side has for the server that asks. */
  readonly server: string
  readonly signal: AbortSignal
  /** Names it among the questions of its request, where the revision names them. */
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
  /** What is odd about the address: shown before consent. */
  readonly warnings: readonly string[]
  /** Resolves when the server says that the person is done there, where it can. */
  readonly completed?: Promise<void>
}
export type ModelAsked = Asked & { readonly request: JsonObject }

export type FormAnswer = { action: 'accept'; content: JsonObject } | { action: 'decline' } | { action: 'cancel' }
export type PageAnswer = { action: 'accept' | 'decline' | 'cancel' }

/** Who answers a server's questions. What is left out is declared as not supported. */
export type Answering = {
  form?: (asked: FormAsked) => FormAnswer | Promise<FormAnswer>
  /** Must show the whole address and get consent before opening it anywhere; nothing has been fetched. */
  page?: (asked: PageAsked) => PageAnswer | Promise<PageAnswer>
  /** @deprecated Kept for servers that still use sampling. Throw `Declined` when the person says no. */
  model?: (asked: ModelAsked) => JsonObject | Promise<JsonObject>
  /** @deprecated Kept for servers that still use roots. */
  roots?: readonly { uri: string; name?: string }[] | ((asked: Asked) => Promise<readonly { uri: string; name?: string }[]>)
}

/** Kinds of questions, each said to be answered or not. */
export type AnswerKinds = { readonly [K in keyof Answering]?: boolean }

export type { CallResult, ClientCapabilities, Json }
