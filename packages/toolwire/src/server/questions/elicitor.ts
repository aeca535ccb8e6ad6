// How a running tool reaches the person, the model or the roots behind the client. What differs between the editions is the way
// there; what is asked, and what the answer must look like, is the same.
import type { JsonObject } from '../../json.js'
import { ProtocolError } from '../../jsonrpc/error.js'
import { UnsupportedForm } from '../../revisions/encode/encode-form.js'
import type { ClientCapabilities, Revision } from '../../revisions/revision.js'
import type { Ask, FormAsk, SamplingRequest, UrlAsk } from '../../tools/ask.js'
import { checkSampling, usesTools } from '../../tools/checks/check-sampling.js'
import { ToolError } from '../../tools/result.js'
import type { Effects } from '../calls/effects.js'
import { checkUrlAsk, elicitationForm } from './elicitation-form.js'

/** A question as it goes over the wire, without an id. */
export type InputRequest = { readonly method: string; readonly params: JsonObject }

/** Puts a question and gives the client's raw response, sooner or later; what cannot wait throws. */
export interface Elicitor {
  ask(key: string, question: InputRequest): Promise<JsonObject>
  /** The same question again, because the answer did not fit. */
  again(key: string, question: InputRequest): Promise<JsonObject>
  /** Side effects of the handler that asks. */
  readonly effects: Effects
}

/** One call puts no more questions than this, so that neither a person nor a model is held in a loop. */
export const maxQuestions = 10

export const tooManyQuestions = () => new ToolError(`Gave up after ${maxQuestions} questions`)

/** As much of a question as tells what it takes to be asked. */
type AskRequirement = { readonly kind: Exclude<Ask['kind'], 'model'> } | Pick<Extract<Ask, { kind: 'model' }>, 'kind' | 'request'>

/** What a client must have declared to be asked this; undefined when it has. */
export function missingCapabilities(
  ask: AskRequirement,
  declared: ClientCapabilities,
  revision: Revision,
): JsonObject | undefined {
  switch (ask.kind) {
    case 'form':
      return canFillForms(declared, revision) ? undefined : { elicitation: revision.questions.modes ? { form: {} } : {} }
    case 'url':
      return revision.questions.url && declared.elicitation?.url ? undefined : { elicitation: { url: {} } }
    case 'model':
      return missingForModel(ask.request, declared, revision)
    case 'roots':
      return declared.roots ? undefined : { roots: {} }
  }
}

/** A client that names no mode means forms. */
function canFillForms({ elicitation }: ClientCapabilities, revision: Revision): boolean {
  return (
    revision.questions.form !== undefined &&
    elicitation !== undefined &&
    (elicitation.form !== undefined || elicitation.url === undefined)
  )
}

function missingForModel(
  request: SamplingRequest,
  { sampling }: ClientCapabilities,
  { questions }: Revision,
): JsonObject | undefined {
  if (!sampling) return { sampling: {} }
  if (usesTools(request) && !(questions.samplingTools && sampling.tools)) return { sampling: { tools: {} } }
  return undefined
}

/** The client lacks what it takes: an error of its own where the edition has one, else the tool has failed. */
export function missingCapabilityError(required: JsonObject, revision: Revision): Error {
  const names = Object.keys(required).join(', ')
  const code = revision.errors.missingCapability
  if (code === undefined) return new ToolError(`This tool needs ${names}, which the client does not offer`)
  return new ProtocolError(code, `Missing required client capability: ${names}`, { data: { requiredCapabilities: required } })
}

export function inputRequestFor(key: string, ask: Ask, revision: Revision, capabilities: ClientCapabilities): InputRequest {
  switch (ask.kind) {
    case 'form':
      return { method: 'elicitation/create', params: formRequest(key, ask, revision) }
    case 'url':
      return { method: 'elicitation/create', params: urlRequest(key, ask, revision) }
    case 'model':
      checkSampling(key, ask.request)
      return {
        method: 'sampling/createMessage',
        params: revision.questions.sampling(withDeclaredContext(ask.request, capabilities)),
      }
    case 'roots':
      return { method: 'roots/list', params: {} }
  }
}

function formRequest(key: string, ask: FormAsk, revision: Revision): JsonObject {
  const schema = elicitationForm(key, ask)
  try {
    const requestedSchema = revision.questions.form?.(schema) // an edition without forms has been sent away by missingFor
    return { ...(revision.questions.modes && { mode: 'form' }), message: ask.message, requestedSchema }
  } catch (thrown) {
    throw thrown instanceof UnsupportedForm ? new ToolError(`Cannot ask "${key}": ${thrown.message}`) : thrown
  }
}

function urlRequest(key: string, ask: UrlAsk, revision: Revision): JsonObject {
  checkUrlAsk(key, ask)
  return {
    mode: 'url',
    message: ask.message,
    url: ask.url,
    ...(revision.questions.url === 'with-id' && { elicitationId: crypto.randomUUID() }),
  }
}

/** Context from other servers is asked for only where the client has said that it gives it. */
function withDeclaredContext(request: SamplingRequest, { sampling }: ClientCapabilities): SamplingRequest {
  if (request.includeContext === undefined || request.includeContext === 'none' || sampling?.context) return request
  return { ...request, includeContext: undefined }
}
