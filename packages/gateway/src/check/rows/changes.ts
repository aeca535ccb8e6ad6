// Who is told that the tools have changed.
import { handshakes, stateless } from '../editions.js'
import { isObject } from '../json.js'
import type { Row } from '../row.js'
import { notTried, unless } from '../verdict.js'
import { eachMessage } from './observed.js'

const listChanged = 'notifications/tools/list_changed'

export const changeRows: readonly Row[] = [
  {
    id: 'changes-declared',
    level: 'MUST',
    editions: handshakes,
    page: 'server/tools',
    sentence: 'Only a server that declares tools.listChanged tells that its tools have changed.',
    how: `Looks for ${listChanged}`,
    run: async (trial) => {
      if (!trial.heard.some(({ method }) => method === listChanged)) return notTried('The tools did not change')
      const { tools } = await trial.capabilities()
      return unless(isObject(tools) && tools.listChanged === true ? [] : ['It was told without being declared'], 'It is declared')
    },
  },
  {
    id: 'changes-unasked',
    level: 'MUST',
    editions: [stateless],
    page: 'server/tools',
    sentence: 'Nobody who has not subscribed is told that the tools have changed.',
    how: `Looks for ${listChanged}`,
    run: (trial) =>
      eachMessage(
        trial,
        () => true,
        ({ method }) => (method === listChanged ? 'It was told' : undefined),
      ),
  },
]
