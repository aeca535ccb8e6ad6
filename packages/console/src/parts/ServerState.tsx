import type { Server } from '../api/types.js'
import { countText } from './count-text.js'

type State = Server['state']

export const serverStates: Readonly<Record<State, { readonly tone: string; readonly words: string }>> = {
  ready: { tone: 'ok', words: 'ready' },
  idle: { tone: 'neutral', words: 'not needed yet' },
  opening: { tone: 'info', words: 'opening' },
  failing: { tone: 'warning', words: 'failing' },
  broken: { tone: 'danger', words: 'broken' },
  'needs login': { tone: 'warning', words: 'needs a login' },
  'waits for trust': { tone: 'warning', words: 'waits for trust' },
  closed: { tone: 'neutral', words: 'closed' },
}

export const ServerState = ({ of }: { of: State }) => (
  <span class="server-state">
    <span class={`dot ${serverStates[of].tone}`} aria-hidden="true" /> {serverStates[of].words}
  </span>
)

/** `restarted once` after the given text; empty without a restart. */
export const restartsText = (restarts: number, before: string): string =>
  restarts > 0 ? `${before}restarted ${restarts === 1 ? 'once' : countText(restarts, 'time')}` : ''
