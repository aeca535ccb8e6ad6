// Who is told that the tools have changed.

import type { Check } from '../../check.js'
import { isObject } from '../../json.js'
import { handshakeRevisions, perRequest } from '../../revisions.js'
import { enforcedUnless, notTried } from '../../verdict.js'
import { eachMessage } from './observed.js'

const listChanged = 'notifications/tools/list_changed'

export const listChangeChecks: readonly Check[] = [
  {
    id: 'changes-declared',
    level: 'MUST',
    revisions: handshakeRevisions,
    page: 'server/tools',
    sentence: 'Only a server that declares tools.listChanged tells that its tools have changed.',
    how: `Looks for ${listChanged}`,
    run: async (attempt) => {
      if (!attempt.received.some(({ method }) => method === listChanged)) return notTried('The tools did not change')
      const { tools } = await attempt.capabilities()
      return enforcedUnless(
        isObject(tools) && tools.listChanged === true ? [] : ['It was told without being declared'],
        'It is declared',
      )
    },
  },
  {
    id: 'changes-unasked',
    level: 'MUST',
    revisions: [perRequest],
    page: 'server/tools',
    sentence: 'Nobody who has not subscribed is told that the tools have changed.',
    how: `Looks for ${listChanged}`,
    run: (attempt) =>
      eachMessage(
        attempt,
        () => true,
        ({ method }) => (method === listChanged ? 'It was told' : undefined),
      ),
  },
]
