// The client's name and capabilities. The capabilities follow from the handlers for questions.
import { pickMembers } from '../../revisions/encode/pick-members.js'
import { tasksExtension } from '../../revisions/meta-keys.js'
import type { ClientCapabilities, Revision } from '../../revisions/revision.js'
import type { LogLevel } from '../../tools/context.js'
import type { Answering } from '../client.js'
import type { ConnectOptions } from '../options.js'

const defaultClientInfo = { name: 'toolwire', version: '0.1.0' }

type AnswerPresence = { readonly [K in keyof Answering]?: unknown }

type DeclarationOptions = Pick<ConnectOptions, 'clientInfo' | 'asks' | 'extensions' | 'tasks'> & {
  readonly answers?: AnswerPresence
  readonly logLevel?: LogLevel | undefined
}

export type ClientDeclaration = ReturnType<typeof clientDeclarationFor>

export function clientDeclarationFor(revision: Revision, options: DeclarationOptions) {
  const { clientInfo = defaultClientInfo, answers = {}, asks = {}, extensions, tasks = true, logLevel } = options
  // A handshake declares the capabilities for all later requests, and it requires a name.
  const isHandshake = revision.style === 'handshake'
  const anonymous = isHandshake ? { name: 'client', version: '0' } : undefined
  // Every client of this library supports tasks; other extensions are declared by the client's author.
  const declared = tasks ? { [tasksExtension]: {}, ...extensions } : extensions
  const capabilities: ClientCapabilities = {
    ...capabilitiesFor(revision, isHandshake ? { ...asks, ...answers } : answers),
    ...(revision.capabilities.extensions && declared && { extensions: declared }),
  }
  return {
    clientInfo: clientInfo === false ? anonymous : pickMembers(clientInfo, revision.fields.implementation),
    capabilities,
    logLevel: revision.logLevelFrom === 'request' ? logLevel : undefined,
  }
}

function capabilitiesFor({ questions, asking }: Revision, answers: AnswerPresence): ClientCapabilities {
  const form = Boolean(answers.form) && questions.form !== undefined
  const page = Boolean(answers.page) && questions.url !== undefined
  const modes = { ...(form && { form: {} }), ...(page && { url: {} }) }
  return {
    ...((form || page) && { elicitation: questions.modes ? modes : {} }),
    ...(Boolean(answers.model) && { sampling: questions.samplingTools ? { tools: {} } : {} }),
    ...(Boolean(answers.roots) && { roots: asking === 'requests' ? { listChanged: true } : {} }),
  }
}
