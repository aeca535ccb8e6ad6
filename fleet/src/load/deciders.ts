// People who decide about what waits, at any of the replicas, and at two of them at the same time.
import { setTimeout as pause } from 'node:timers/promises'
import type { Replica } from '../cluster/replica.js'
import type { Event } from '../history.js'
import { pick } from '../random.js'

type Waiting = { readonly id: string; readonly arguments?: { readonly id?: string } }
type Deciding = { readonly replicas: readonly Replica[]; readonly random: () => number; readonly note: (event: Event) => void }

/** Decides until it is told to stop. A call that came back after a decision is denied: one yes for each call. */
export function startDeciders({ replicas, random, note }: Deciding): { stop(): Promise<void> } {
  let isOver = false
  /** Which pending call was agreed to, by the id of the call. */
  const agreed = new Map<string, string>()

  async function decide(one: Waiting, replica: Replica): Promise<void> {
    const call = one.arguments?.id ?? ''
    const decision = (agreed.get(call) ?? one.id) === one.id ? 'allow' : 'deny'
    const others = replicas.filter((other) => other !== replica)
    // A late yes meets a caller who was told to call again.
    if (random() < 0.2) await pause(2_500)
    const deciding = random() < 0.3 && others.length > 0 ? [replica, pick(others, random)] : [replica]
    if (decision === 'allow') agreed.set(call, one.id)
    await Promise.all(
      deciding.map(async (asked) => {
        const answer = await asked.manage(`/approvals/${one.id}`, { decision })
        const about = { kind: 'decided', approval: one.id, call, replica: asked.name, decision } as const
        note({ ...about, status: answer?.status ?? 0, at: Date.now() })
      }),
    )
  }

  async function lane(): Promise<void> {
    const seen = new Set<string>()
    while (!isOver) {
      const replica = pick(replicas, random)
      const answer = await replica.manage('/approvals?limit=100')
      const { approvals = [] } = (answer?.body ?? {}) as { approvals?: Waiting[] }
      const fresh = approvals.filter(({ id }) => !seen.has(id))
      for (const one of fresh) {
        seen.add(one.id)
        // One that got no answer is looked at again.
        void decide(one, pick(replicas, random)).then(() => setTimeout(() => seen.delete(one.id), 3_000).unref())
      }
      await pause(60)
    }
  }

  const running = lane()
  return {
    async stop() {
      isOver = true
      await running
    },
  }
}
