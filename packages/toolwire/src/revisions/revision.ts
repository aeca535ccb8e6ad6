import type { JsonObject } from '../json.js'
import type { SamplingRequest } from '../tools/ask.js'
import type { Content } from '../tools/content.js'
import type { Reason } from '../tools/refusal.js'
import type { ServerMethod } from './methods.js'

/** Capabilities that a client declares: per session in the older revisions, per request in the newest. */
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
  /** The id in an error about a request whose id could not be read. */
  readonly unreadableId: 'null' | 'omitted'

  /** The members that each kind of object may have. */
  readonly fields: {
    /** The server's description of itself. */
    readonly implementation: readonly string[]
    readonly tool: readonly string[]
    readonly resource: readonly string[]
    readonly prompt: readonly string[]
    /** Of a prompt. */
    readonly argument: readonly string[]
    readonly annotations: readonly string[]
  }
  /** A tool's title is repeated in its annotations, where some older clients look for it. */
  readonly titleInAnnotations: boolean
  /** A tool's schemas may have any root, or only a plain object. */
  readonly schemaRoots: 'objects' | 'any'
  /** Schemas may say which dialect of JSON Schema they are written in. */
  readonly dialectNamed: boolean
  /** A tool's entry lists its task support under `execution`, or not at all. */
  readonly taskSupport: 'in-execution' | 'unlisted'

  readonly blocks: { readonly [T in Content['type']]: BlockEncoder }
  /** Blocks may carry `_meta`. */
  readonly blockMeta: boolean
  /** Structured values that a result may carry in addition to its content. */
  readonly structured: 'none' | 'objects' | 'any'
  /** Members that are added to every result. */
  readonly stamp: { readonly resultType?: 'complete'; readonly serverInfo: boolean }
  /** Results of lists and reads say how long they may be cached. */
  readonly cacheHints: boolean
  /** The `nextCursor` of the last page of a list. */
  readonly lastCursor: undefined | ''
  /** An empty cursor ends a list, as with some older servers, or is a cursor like any other. */
  readonly emptyCursor: 'ends' | 'continues'

  /** Refusals that the model reads as a failed result; the others are protocol errors. */
  readonly toldToModel: ReadonlySet<Reason>
  /** Error codes that differ between revisions; undefined if the revision has none. */
  readonly errors: {
    readonly resourceMissing: number
    readonly missingCapability: number | undefined
    readonly urlRequired: number | undefined
  }

  /** Progress notifications may carry a message. */
  readonly progressMessage: boolean
  readonly logLevelFrom: 'session' | 'request'
  /** A running tool asks the client's user, model or roots through requests, or through results. */
  readonly asking: 'requests' | 'results'
  /** Supported kinds of elicitation and sampling, with their encoders. Undefined: not in this revision. */
  readonly questions: {
    readonly form: ((schema: JsonObject) => JsonObject) | undefined
    readonly url: 'with-id' | 'plain' | undefined
    /** Requests name the mode of elicitation, and clients declare it. */
    readonly modes: boolean
    readonly sampling: (request: SamplingRequest) => JsonObject
    /** The model may be offered tools. */
    readonly samplingTools: boolean
  }
  readonly tasks: 'none' | 'on-request' | 'extension'
  readonly capabilities: CapabilityRules
  readonly http: HttpRules
  /** Completes an encoded result, for profiles in which certain members are always present. */
  readonly finish: ((result: JsonObject, method: string) => JsonObject) | undefined
}

type BlockEncoder = (block: never) => JsonObject

type CapabilityRules = {
  /** Completion is declared as a capability. */
  readonly completions: boolean
  readonly logging: boolean
  readonly extensions: boolean
  /** `listChanged` is declared even if the lists never change. */
  readonly listChangedAlways: boolean
}

type HttpRules = {
  /** Requests name the version in a header, too. */
  readonly versionHeader: boolean
  /** `Mcp-Method`, `Mcp-Name` and `Mcp-Param-*` repeat the body and must agree with it. */
  readonly mirrored: boolean
  readonly sessions: boolean
  /** A reply stream starts with an event that has an id and no data, so that the client can resume at any time. */
  readonly priming: boolean
  readonly resumable: boolean
  /** Closing the connection cancels the request. */
  readonly hangingUpCancels: boolean
  /** HTTP statuses that may mean that a server has HTTP+SSE only. */
  readonly onlyOlder: 'any 4xx' | '400, 404, 405'
  /** The HTTP status of a response with an error of the given code. */
  readonly statusOf: (code: number) => number
}
