import { useState } from 'preact/hooks'
import { part, post, put } from '../api/api.js'
import type { JsonObject, ServerPlan } from '../api/types.js'
import { wordsOf } from '../parts/Trouble.js'

export type Change =
  | { readonly what: 'add'; readonly name: string; readonly entry: JsonObject }
  | { readonly what: 'change'; readonly id: string; readonly entry: JsonObject }
  | { readonly what: 'remove'; readonly id: string }

type Answer = ServerPlan & { readonly done: boolean }

function ask(change: Change, confirm?: string): Promise<Answer> {
  const more = confirm === undefined ? {} : { confirm }
  if (change.what === 'add') return post('/servers', { name: change.name, entry: change.entry, ...more })
  if (change.what === 'change') return put(`/servers/${part(change.id)}`, { entry: change.entry, ...more })
  return post(`/servers/${part(change.id)}/remove`, more)
}

/** A change in two steps: what it comes to, and making exactly that. */
export function usePlan(onDone: () => void) {
  const [planned, setPlanned] = useState<{ readonly change: Change; readonly plan: ServerPlan }>()
  const [trouble, setTrouble] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  async function doing(work: () => Promise<void>): Promise<void> {
    setBusy(true)
    setTrouble(undefined)
    await work().catch((thrown: unknown) => setTrouble(wordsOf(thrown)))
    setBusy(false)
  }
  return {
    plan: planned?.plan,
    trouble,
    isBusy,
    look: (change: Change) => doing(async () => setPlanned({ change, plan: await ask(change) })),
    back: () => {
      setPlanned(undefined)
      setTrouble(undefined)
    },
    confirm: () =>
      doing(async () => {
        if (!planned) return
        await ask(planned.change, planned.plan.confirm)
        onDone()
      }),
  }
}
