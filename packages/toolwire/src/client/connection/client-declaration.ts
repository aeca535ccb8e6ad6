// How this client introduces itself: what it can do follows from who is there to answer.
import type { JsonObject } from '../../json.js'
import { pickMembers } from '../../revisions/encode/pick-members.js'
import { tasksExtension } from '../../revisions/meta-keys.js'
import type { ClientCapabilities, Revision } from '../../revisions/revision.js'
import type { LogLevel } from '../../tools/context.js'
import type { Answering } from '../client.js'
import type { ConnectOptions } from '../options.js'
import type { ClientDeclaration } from './encode-request.js'

const defaultClientInfo = { name: 'toolwire', version: '0.1.0' }

type AnswerPresence = { readonly [K in keyof Answering]?: unknown }

export function clientDeclarationFor(
  revision: Revision,
  {
    clientInfo = defaultClientInfo,
    answers = {},
    asks = {},
    extensions,
    tasks = true,
    logLevel,
  }: Pick<ConnectOptions, 'clientInfo' | 'asks' | 'extensions' | 'tasks'> & {
    answers?: AnswerPresence
    logLevel?: LogLevel | undefined
  },
): ClientDeclaration {
  return {
    // A handshake cannot do without a name.
    clientInfo: clientInfo === false ? anonymousInfo(revision) : pickMembers(clientInfo, revision.fields.implementation),
    capabilities: {
      ...capabilitiesFor(revision, declaresOnce(revision) ? { ...asks, ...answers } : answers),
      ...extensionsFor(revision, tasks ? { [tasksExtension]: {}, ...extensions } : extensions),
    },
    logLevel: revision.logLevelFrom === 'request' ? logLevel : undefined,
  }
}

const anonymousInfo = (revision: Revision): JsonObject | undefined =>
  revision.style === 'handshake' ? { name: 'client', version: '0' } : undefined

/** A handshake speaks for all requests to come. */
const declaresOnce = ({ style: opening }: Revision): boolean => opening === 'handshake'

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

/** Tasks are understood by every client of ours; other extensions are for its author to know. */
function extensionsFor(revision: Revision, extensions: JsonObject | undefined): ClientCapabilities {
  return revision.capabilities.extensions && extensions ? { extensions } : {}
}
