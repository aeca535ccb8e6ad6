// Notifications of changed tools.

import { checksOf } from '../../check.js'
import { isObject } from '../../json.js'
import { handshakeRevisions, perRequest } from '../../revisions.js'
import { enforcedIfAll, notTried } from '../../verdict.js'
import { eachMessage, isAny } from './observed.js'

const listChanged = 'notifications/tools/list_changed'

export const listChangeChecks = checksOf({ level: 'MUST', revisions: handshakeRevisions, page: 'server/tools' })({
  'changes-declared': {
    sentence: 'Only a server that declares tools.listChanged sends notifications of changed tools.',
    how: `Looks for ${listChanged}`,
    run: async (attempt) => {
      if (!attempt.received.some(({ method }) => method === listChanged)) return notTried('The tools did not change')
      const { tools } = await attempt.capabilities()
      const isDeclared = isObject(tools) && tools.listChanged === true
      return enforcedIfAll('The capability is declared', { 'A notification came without the capability': isDeclared })
    },
  },
  'changes-unasked': {
    revisions: [perRequest],
    sentence: 'A client that has not subscribed gets no notifications of changed tools.',
    how: `Looks for ${listChanged}`,
    run: eachMessage(isAny, ({ method }) => (method === listChanged ? 'A notification came' : undefined)),
  },
})
