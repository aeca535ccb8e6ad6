import type { UpstreamState } from '../api/types.js'

/** How each state is shown. */
export const serverStates: Readonly<Record<UpstreamState, { readonly tone: string; readonly words: string }>> = {
  ready: { tone: 'ok', words: 'ready' },
  idle: { tone: 'neutral', words: 'not needed yet' },
  opening: { tone: 'info', words: 'opening' },
  failing: { tone: 'warning', words: 'failing' },
  broken: { tone: 'danger', words: 'broken' },
  'needs login': { tone: 'warning', words: 'needs a login' },
  'waits for trust': { tone: 'warning', words: 'waits for trust' },
  closed: { tone: 'neutral', words: 'closed' },
}
