// Asks the person, the model or the client for a running tool. Revisions differ only in the transport of questions; the questions and their
// answers are the same.
import { canonicalJson, type JsonObject } from '../../json.js'
import { ProtocolError } from '../../jsonrpc/error.js'
import type { PeerInfo } from '../../peer/conversation.js'
import { UnsupportedForm } from '../../revisions/encode/encode-form.js'
import type { Revision } from '../../revisions/revision.js'
import type { Ask, FormAsk, SamplingRequest, UrlAsk } from '../../tools/ask.js'
import { checkSampling, usesTools } from '../../tools/checks/check-sampling.js'
import { ToolError } from '../../tools/result.js'
import type { Effects } from '../calls/effects.js'
import { checkUrlAsk, elicitationForm } from './elicitation-form.js'

/** A question in its wire format, without an id. */
export type InputRequest = { readonly method: string; readonly params: JsonObject }

/** The question as compared with another: an answer counts only for the text that was put. The id of a page is new each time. */
export function questionText({ method, params: { elicitationId: _, ...params } }: InputRequest): string {
  return canonicalJson({ method, params })
}

/** Asks a question and resolves with the client's raw response. Throws if the run cannot wait for it. */
export interface Elicitor {
  /** `again`: repeats a question because its answer did not fit. */
  ask(key: string, question: InputRequest, again?: boolean): Promise<JsonObject>
  readonly effects: Effects
  /** The latest question under this key that was sent, maybe in an earlier run: it has the id of the page that the client knows. */
  sent?(key: string): InputRequest | undefined
  /** Routes the answer to this process, whose memory the handler depends on; absent if the handler waits here anyway. */
  holdHere?(): void
  /** Withdraws the questions that are still open, because the call has ended. */
  end?(): void
}

/** Questions per call, so that neither a person nor a model is kept in a loop. */
export const maxQuestions = 10

export const callEnded = () => new ToolError('The call ended before its question was answered')

export const tooManyQuestions = () => new ToolError(`Gave up after ${maxQuestions} questions`)

/** The capabilities that the client lacks for this kind of question; undefined if it lacks none. */
export function missingCapabilities(
  kind: Ask['kind'],
  { capabilities, revision: { questions } }: PeerInfo,
  request?: SamplingRequest,
): JsonObject | undefined {
  const { elicitation, sampling, roots } = capabilities
  switch (kind) {
    case 'form':
      // A client that names no mode supports forms.
      if (questions.form && elicitation && (elicitation.form !== undefined || elicitation.url === undefined)) return undefined
      return { elicitation: questions.modes ? { form: {} } : {} }
    case 'url':
      return questions.url && elicitation?.url ? undefined : { elicitation: { url: {} } }
    case 'model':
      if (!sampling) return { sampling: {} }
      return request && usesTools(request) && !(questions.samplingTools && sampling.tools)
        ? { sampling: { tools: {} } }
        : undefined
    case 'roots':
      return roots ? undefined : { roots: {} }
  }
}

/** The error for a missing capability: one of the revision's own, or else a failure of the tool. */
export function missingCapabilityError(required: JsonObject, { revision }: PeerInfo): Error {
  const names = Object.keys(required).join(', ')
  const code = revision.errors.missingCapability
  if (code === undefined) return new ToolError(`This tool needs ${names}, which the client does not offer`)
  return new ProtocolError(code, `Missing required client capability: ${names}`, { data: { requiredCapabilities: required } })
}

/** The request for a question; throws if the client does not support it. */
export function inputRequestFor(key: string, ask: Ask, peer: PeerInfo): InputRequest {
  const missing = missingCapabilities(ask.kind, peer, ask.kind === 'model' ? ask.request : undefined)
  if (missing) throw missingCapabilityError(missing, peer)
  const { revision } = peer
  switch (ask.kind) {
    case 'form':
      return { method: 'elicitation/create', params: formRequest(key, ask, revision) }
    case 'url':
      return { method: 'elicitation/create', params: urlRequest(key, ask, revision) }
    case 'model':
      return { method: 'sampling/createMessage', params: samplingRequest(key, ask.request, peer) }
    case 'roots':
      return { method: 'roots/list', params: {} }
  }
}

function formRequest(key: string, ask: FormAsk, revision: Revision): JsonObject {
  const schema = elicitationForm(key, ask)
  try {
    const requestedSchema = revision.questions.form?.(schema) // missingCapabilities has refused revisions without forms
    return { ...(revision.questions.modes && { mode: 'form' }), message: ask.message, requestedSchema }
  } catch (thrown) {
    throw thrown instanceof UnsupportedForm ? new ToolError(`Cannot ask "${key}": ${thrown.message}`) : thrown
  }
}

function urlRequest(key: string, ask: UrlAsk, revision: Revision): JsonObject {
  checkUrlAsk(key, ask)
  const identified = revision.questions.url === 'with-id' && { elicitationId: crypto.randomUUID() }
  return { mode: 'url', message: ask.message, url: ask.url, ...identified }
}

/** Drops the request for context of other servers unless the client supports it. */
function samplingRequest(key: string, request: SamplingRequest, { revision, capabilities }: PeerInfo): JsonObject {
  checkSampling(key, request)
  const isAsIs = request.includeContext === undefined || request.includeContext === 'none' || capabilities.sampling?.context
  return revision.questions.sampling(isAsIs ? request : { ...request, includeContext: undefined })
}
