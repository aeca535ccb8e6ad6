// Notifications of changed tools.

import { checksOf } from '../../check.js'
import { isObject } from '../../json.js'
import { handshakeRevisions, perRequest } from '../../revisions.js'
import type { MessageRule } from '../../session/observations.js'
import { enforcedIfAll, notTried } from '../../verdict.js'
import { eachMessage, isAny } from './observed.js'

const listChanged = 'notifications/tools/list_changed'

const changes: MessageRule = { concerns: ({ method }) => method === listChanged, fault: () => undefined }

export const listChangeChecks = checksOf({ level: 'MUST', revisions: handshakeRevisions, page: 'server/tools' })({
  'changes-declared': {
    sentence: 'Only a server that declares tools.listChanged sends notifications of changed tools.',
    how: `Looks for ${listChanged}`,
    observes: changes,
    run: async (attempt) => {
      if (attempt.observed(changes).count === 0) return notTried('The tools did not change')
      const { tools } = await attempt.capabilities()
      const isDeclared = isObject(tools) && tools.listChanged === true
      return enforcedIfAll('The capability is declared', { 'A notification came without the capability': isDeclared })
    },
  },
  'changes-unasked': {
    revisions: [perRequest],
    sentence: 'A client that has not subscribed gets no notifications of changed tools.',
    how: `Looks for ${listChanged}`,
    ...eachMessage(isAny, ({ method }) => (method === listChanged ? 'A notification came' : undefined)),
  },
})
