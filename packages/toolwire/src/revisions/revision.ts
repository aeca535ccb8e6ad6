import type { JsonObject } from '../json.js'
import type { SamplingRequest } from '../tools/ask.js'
import type { Content } from '../tools/content.js'
import type { Reason } from '../tools/refusal.js'
import type { ServerMethod } from './methods.js'

/** What a client has declared about itself; per session in the older revisions, per request in the newest. */
export type ClientCapabilities = {
  elicitation?: { form?: JsonObject; url?: JsonObject } & JsonObject
  sampling?: { tools?: JsonObject; context?: JsonObject } & JsonObject
  roots?: JsonObject
  extensions?: JsonObject
  tasks?: JsonObject
} & JsonObject

/**
 * Everything this project needs to know about one revision of the specification.
 * Code outside this folder never compares versions and holds none: it asks the revision.
 */
export interface Revision {
  readonly version: string
  /** A connection is opened once by `initialize`, or every request describes itself. */
  readonly style: 'handshake' | 'per-request'
  /** Methods absent here do not exist for a peer speaking this revision. */
  readonly methods: ReadonlySet<ServerMethod>
  /** Several messages may come as one array. */
  readonly batching: boolean
  /** What an error says when the id of the request could not be read. */
  readonly unreadableId: 'null' | 'omitted'

  /** The members that each of these may have. */
  readonly fields: {
    /** How the server describes itself. */
    readonly implementation: readonly string[]
    readonly tool: readonly string[]
    readonly resource: readonly string[]
    readonly prompt: readonly string[]
    /** Of a prompt. */
    readonly argument: readonly string[]
    readonly annotations: readonly string[]
  }
  /** Some clients of old find a tool's title inside its annotations. */
  readonly titleInAnnotations: boolean
  /** Whether a tool's schemas may be anything, or must be plain objects at their root. */
  readonly schemaRoots: 'objects' | 'any'
  /** Schemas may say which dialect of JSON Schema they are written in. */
  readonly dialectNamed: boolean
  /** Whether a tool's entry says that it may be called as a task, and where. */
  readonly taskSupport: 'in-execution' | 'unlisted'

  /** How each kind of content is written. */
  readonly blocks: { readonly [T in Content['type']]: BlockEncoder }
  /** Blocks may carry `_meta`. */
  readonly blockMeta: boolean
  /** Which values a result may carry besides its content. */
  readonly structured: 'none' | 'objects' | 'any'
  /** What every result carries besides its own members. */
  readonly stamp: { readonly resultType?: 'complete'; readonly serverInfo: boolean }
  /** Lists and readings say how long they may be kept. */
  readonly cacheHints: boolean
  /** What follows the last page of a list. */
  readonly lastCursor: undefined | ''
  /** How a client reads an empty cursor: some servers of old end their lists with one, later it is one like any other. */
  readonly emptyCursor: 'ends' | 'continues'

  /** Refusals the model gets to read as a failed result; the others are protocol errors. */
  readonly toldToModel: ReadonlySet<Reason>
  /** Codes that differ; undefined where the revision has none for it. */
  readonly errors: {
    readonly resourceMissing: number
    readonly missingCapability: number | undefined
    readonly urlRequired: number | undefined
  }

  /** Progress may come with words. */
  readonly progressMessage: boolean
  readonly logLevelFrom: 'session' | 'request'
  /** How a running tool reaches the person, the model or the roots behind the client. */
  readonly asking: 'requests' | 'results'
  /** Which questions can be put, and what becomes of a form. Undefined: not in this revision. */
  readonly questions: {
    readonly form: ((schema: JsonObject) => JsonObject) | undefined
    readonly url: 'with-id' | 'plain' | undefined
    /** The mode is named in the request, and declared by the client. */
    readonly modes: boolean
    readonly sampling: (request: SamplingRequest) => JsonObject
    /** The model may be offered tools. */
    readonly samplingTools: boolean
  }
  readonly tasks: 'none' | 'on-request' | 'extension'
  readonly capabilities: CapabilityRules
  readonly http: HttpRules
  /** A last look at an encoded result, for profiles that always show certain members. */
  readonly finish: ((result: JsonObject, method: string) => JsonObject) | undefined
}

type BlockEncoder = (block: never) => JsonObject

type CapabilityRules = {
  /** Completion is declared, or simply there. */
  readonly completions: boolean
  readonly logging: boolean
  readonly extensions: boolean
  /** Said even when nothing would need it. */
  readonly listChangedAlways: boolean
}

type HttpRules = {
  /** Requests name the version in a header, too. */
  readonly versionHeader: boolean
  /** `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` repeat the body and must agree with it. */
  readonly mirrored: boolean
  readonly sessions: boolean
  /** A reply stream starts with an event that has an id and no data, so that the client can come back at any time. */
  readonly priming: boolean
  readonly resumable: boolean
  /** A client that hangs up wants the request cancelled. */
  readonly hangingUpCancels: boolean
  /** With which statuses a server may say that it has HTTP+SSE only: any 4xx, or just 400, 404 and 405. */
  readonly onlyOlder: 'any 4xx' | '400, 404, 405'
  /** The status of an answer whose body is an error with that code. */
  readonly statusOf: (code: number) => number
}
