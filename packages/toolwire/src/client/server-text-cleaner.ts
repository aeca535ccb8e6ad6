// The one way by which the words of a server come to people and models: all that it can send, each kind cleaned as results are.

import { isObject, type Json, type JsonObject } from '../json.js'
import { RpcError } from '../jsonrpc/error.js'
import type { ContentCleaner } from '../policy/sanitize/cleaner.js'
import { findingsKey } from '../policy/sanitize/findings-key.js'
import type { ResultCleaning } from '../policy/sanitize/result-cleaner.js'
import { foundWords, UnsafeContent } from '../policy/sanitize/sanitize-rules.js'
import type { ServerMethod } from '../revisions/methods.js'
import { capped } from '../text/cut.js'
import type { Content } from '../tools/content.js'
import { Refusal } from '../tools/refusal.js'
import type { ToolResult } from '../tools/result.js'

/** Cleans what a server says. What a rule refuses is withheld, with a Refusal that says why. */
export interface ServerTextCleaner {
  /** The answer to a request of this method; `note` hears of entries that had to be left out. Long texts take their turns. */
  answer(method: string, result: JsonObject, note: (text: string) => void): JsonObject | Promise<JsonObject>
  /** Why a request failed, in the server's words. */
  error(thrown: Error): Error | Promise<Error>
  notification(method: string, params: JsonObject): JsonObject | Promise<JsonObject>
  /** A request of the server's: what it asks a person, a model or this side. */
  question(method: string, params: JsonObject): JsonObject | Promise<JsonObject>
  /** The result of a call that no policy has seen. */
  result(result: ToolResult): ToolResult
}

/** For a client that wants the words of its server as they are: `guard: { sanitize: false }`. */
export const uncleanedText: ServerTextCleaner = {
  answer: (_, result) => result,
  error: (thrown) => thrown,
  notification: (_, params) => params,
  question: (_, params) => params,
  result: (result) => result,
}

type CleanInput = { readonly result: JsonObject; readonly make: () => ContentCleaner; readonly note: (text: string) => void }
type CleanAnswer = (said: CleanInput) => JsonObject
const asItIs: CleanAnswer = ({ result }) => result

/** A method that is not in it does not compile: nobody adds one without saying what becomes of its words. */
const cleaners: { readonly [M in ServerMethod]: CleanAnswer } = {
  initialize: opening,
  'server/discover': opening,
  ping: asItIs,
  // Scanned and pinned as they came, and shown so that nothing hides in them.
  'tools/list': asItIs,
  // Cleaned by the policies that stand around the call.
  'tools/call': withTask,
  'resources/list': entries,
  'resources/templates/list': entries,
  'resources/read': contents,
  'resources/subscribe': asItIs,
  'resources/unsubscribe': asItIs,
  'prompts/list': entries,
  'prompts/get': messages,
  'completion/complete': values,
  'logging/setLevel': asItIs,
  'subscriptions/listen': asItIs,
  'tasks/get': withTask,
  'tasks/update': withTask,
  'tasks/result': withTask,
  'tasks/cancel': withTask,
  'tasks/list': withTask,
}

const cleanAnything: CleanAnswer = ({ result, make }) => cleanedBut(result, machineMembers, make())

/** The members of notifications that are shown. */
const noticed: ReadonlyMap<string, readonly string[]> = new Map([
  ['notifications/progress', ['message']],
  ['notifications/message', ['data', 'logger']],
])

/** Given back as they came, and shown to nobody. */
const machineMembers = new Set(['nextCursor', 'requestState', 'resultType', 'taskId', 'inputRequests', '_meta'])

export function serverTextCleaner({ make, prepare, result: whole }: ResultCleaning): ServerTextCleaner {
  const question = (method: string, params: JsonObject, make: () => ContentCleaner) =>
    cleanOrRefuse('The question', () => (method === 'roots/list' ? params : cleanedBut(params, addresses, make())))
  /** Cleans it by itself, or after its long texts have been searched in turns. */
  const inTurns = <T>(said: Json | undefined, clean: (by: () => ContentCleaner) => T): T | Promise<T> =>
    (said !== undefined && prepare?.(said)?.then(clean)) || clean(make)
  return {
    question: (method, params) => inTurns(params, (make) => question(method, params, make)),
    answer(method, result, note) {
      if (method === 'tools/call' && result.inputRequests === undefined && result.task === undefined) return result
      const cleaner = isKnown(method) ? cleaners[method] : cleanAnything
      const asked = (make: () => ContentCleaner) => (method: string, params: JsonObject) => question(method, params, make)
      return inTurns(result, (make) =>
        cleanOrRefuse(`The answer to ${method}`, () => cleaner({ result: withQuestions(result, asked(make)), make, note })),
      )
    },
    error(thrown) {
      if (!(thrown instanceof RpcError)) return withCleanMessage(thrown, make)
      return inTurns(thrown.data as Json | undefined, (make) => cleanRpcError(thrown, make)) // it came as JSON
    },
    notification(method, params) {
      const names = noticed.get(method)
      if (!names?.some((name) => params[name] !== undefined)) return params // what is listed again, and which page or resource it is about
      return inTurns(params, (make) => {
        const said = Object.entries(params).filter(([name]) => names.includes(name))
        return { ...params, ...Object.fromEntries(said.map(([name, value = null]) => [name, cleanOrNotice(value, make)])) }
      })
    },
    result: (result) => cleanOrRefuse('The result', () => whole(result)),
  }
}

const isKnown = (method: string): method is ServerMethod => Object.hasOwn(cleaners, method)

function cleanOrRefuse<T>(what: string, clean: () => T): T {
  try {
    return clean()
  } catch (thrown) {
    if (!(thrown instanceof UnsafeContent)) throw thrown
    throw new Refusal('unsafe-result', `${what} is withheld: it contains ${foundWords[thrown.rule]}.`)
  }
}

/** Where something must be said, it is said that the words are withheld. */
function cleanOrNotice(value: Json, make: () => ContentCleaner): Json {
  try {
    return make().json(value)
  } catch (thrown) {
    if (thrown instanceof UnsafeContent) return `[withheld: it contains ${foundWords[thrown.rule]}]`
    throw thrown
  }
}

function withQuestions(result: JsonObject, question: (method: string, params: JsonObject) => JsonObject): JsonObject {
  if (!isObject(result.inputRequests)) return result
  const asked = Object.entries(result.inputRequests).map(([key, one]) => {
    if (!isObject(one) || typeof one.method !== 'string') return [key, one] as const
    return [key, isObject(one.params) ? { ...one, params: question(one.method, one.params) } : one] as const
  })
  return { ...result, inputRequests: Object.fromEntries(asked) }
}

/**
 * A question is a form or a request: its names are given back with the answer, cleaned as they are shown. The address of a page is
 * read as a browser would, and shown as that.
 */
const addresses: ReadonlySet<string> = new Set(['url', 'elicitationId', 'mode', 'task', '_meta'])

function cleanedBut(object: JsonObject, kept: ReadonlySet<string>, cleaner: ContentCleaner): JsonObject {
  const entries = Object.entries(object)
  const shown = Object.fromEntries(entries.filter(([name]) => !kept.has(name)))
  return { ...(cleaner.json(shown) as JsonObject), ...Object.fromEntries(entries.filter(([name]) => kept.has(name))) }
}

/** What was found in the instructions stands with them, because they are for a model. */
function opening({ result, make }: CleanInput): JsonObject {
  const { instructions, serverInfo, _meta } = result
  const { [findingsKey]: _forged, ...about } = isObject(_meta) ? _meta : {}
  const cleaner = make()
  const said = instructions === undefined ? {} : { instructions: cleaner.json(instructions) }
  const meta = { ...(cleanOrNotice(about, make) as JsonObject), ...(cleaner.marked({}) as { _meta?: JsonObject })._meta }
  return {
    ...result,
    ...(isObject(serverInfo) && { serverInfo: cleanOrNotice(serverInfo, make) }),
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : _meta !== undefined && { _meta: {} }),
    ...said,
  }
}

/** What names an entry is how it is asked for: one that would have to be called otherwise is left out. */
function entries({ result, make, note }: CleanInput): JsonObject {
  const lists = ['resources', 'resourceTemplates', 'prompts'] as const
  const cleaned = lists.flatMap((list) => {
    const all = result[list]
    return Array.isArray(all) ? [[list, all.flatMap((entry) => entryIn(entry, list, { make, note }))] as const] : []
  })
  return { ...result, ...Object.fromEntries(cleaned) }
}

const identifiers = { resources: ['uri'], resourceTemplates: ['uriTemplate'], prompts: ['name', 'arguments'] } as const

function entryIn(entry: Json, list: keyof typeof identifiers, { make, note }: Omit<CleanInput, 'result'>): Json[] {
  if (!isObject(entry)) return [entry]
  try {
    const cleaner = make()
    const cleaned = cleaner.json(entry) as JsonObject
    const isSame = identifiers[list].every((name) => namesIn(cleaned[name]) === namesIn(entry[name]))
    if (isSame && (list !== 'resources' || cleaner.mayLead(entry.uri))) return [cleaner.marked(cleaned)]
  } catch (thrown) {
    if (!(thrown instanceof UnsafeContent)) throw thrown
  }
  const [named] = identifiers[list]
  const shown = JSON.stringify(make().text(String(entry[named]).slice(0, 128)))
  note(`An entry of ${list} was left out, because of what is in it: ${shown}`)
  return []
}

/** An address or a name, or the names of arguments. */
const namesIn = (value: Json | undefined): string =>
  JSON.stringify(Array.isArray(value) ? value.map((one) => (isObject(one) ? one.name : one)) : value) ?? ''

/** A resource that is read is cleaned as one that stands in a result. */
function contents({ result, make }: CleanInput): JsonObject {
  if (!Array.isArray(result.contents)) return result
  const cleaned = bounded(result.contents, make, (one) => {
    if (!isObject(one)) return one
    const cleaner = make()
    // Only its form is that of a block; what is in it is looked at there.
    const block = cleaner.blockAlone({ type: 'resource', resource: one } as unknown as Content)
    if (block.type === 'resource') return cleaner.marked(block.resource as object as JsonObject)
    return cleaner.marked({ uri: cleaner.text(String(one.uri)), text: block.type === 'text' ? block.text : '' })
  })
  const [first] = cleaned
  const uri = (isObject(first) && first.uri) || ''
  return { ...result, contents: cleaned.map((one) => (typeof one === 'string' ? { uri, text: one } : one)) }
}

function messages({ result, make }: CleanInput): JsonObject {
  const { description, messages: said } = result
  const about = description === undefined ? {} : { description: make().json(description) }
  if (!Array.isArray(said)) return { ...result, ...about }
  const cleaned = bounded(said, make, (message) => {
    if (!isObject(message)) return message
    const { content, ...rest } = message
    const blockIn = (block: Json) => (isObject(block) ? blockOf(block, make()) : block)
    return {
      ...(make().json(rest) as JsonObject),
      ...(content !== undefined && { content: Array.isArray(content) ? content.map(blockIn) : blockIn(content) }),
    }
  })
  const asMessage = (one: Json) => (typeof one === 'string' ? { role: 'user', content: { type: 'text', text: one } } : one)
  return { ...result, ...about, messages: cleaned.map(asMessage) }
}

/** A block is JSON. */
const blockOf = (block: JsonObject, cleaner: ContentCleaner): Json =>
  cleaner.marked(cleaner.blockAlone(block as object as Content)) as object as Json

/** As many as a result may have blocks; the last one says how many there were. */
function bounded(all: readonly Json[], make: () => ContentCleaner, clean: (one: Json) => Json): Json[] {
  const { kept, notice } = make().firstOf(all)
  return [...kept.map(clean), ...(notice === undefined ? [] : [notice])]
}

function values({ result, make }: CleanInput): JsonObject {
  const { completion } = result
  return isObject(completion) ? { ...result, completion: make().json(completion) } : result
}

/** What a task has come to is read as the result of the call. */
function withTask({ result, make }: CleanInput): JsonObject {
  const { statusMessage, error, task, tasks } = result
  const one = (about: Json): Json => (isObject(about) ? withTask({ result: about, make, note: ignore }) : about)
  return {
    ...result,
    ...(statusMessage !== undefined && { statusMessage: cleanOrNotice(statusMessage, make) }),
    ...(error !== undefined && { error: cleanOrNotice(error, make) }),
    ...(task !== undefined && { task: one(task) }),
    ...(Array.isArray(tasks) && { tasks: tasks.map(one) }),
  }
}

const ignore = () => undefined

/** An error is searched in one go, and nobody reads more of it. */
const longestError = 65_536

function cleanRpcError(thrown: RpcError, make: () => ContentCleaner): RpcError {
  const { code, message, data, cause } = thrown
  const said = String(cleanOrNotice(capped(message, longestError), make))
  if (said === message && data === undefined) return thrown
  const about = data === undefined ? undefined : cleanOrNotice(data as Json, make) // it came as JSON
  return new RpcError(code, said, { ...(about !== undefined && { data: about }), ...(cause !== undefined && { cause }) })
}

/** Of this side, with words of the server's in it. */
function withCleanMessage(thrown: Error, make: () => ContentCleaner): Error {
  const said = String(cleanOrNotice(capped(thrown.message, longestError), make))
  if (said !== thrown.message) thrown.message = said
  return thrown
}
