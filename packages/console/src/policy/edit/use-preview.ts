import { useEffect, useState } from 'preact/hooks'
import { postJson } from '../../api/api.js'
import type { PolicyPreview } from '../../api/types.js'

const restMs = 400

type State = { readonly of?: string; readonly preview?: PolicyPreview; readonly error?: unknown }

/** The gateway's preview of a text, requested once typing pauses. */
export function usePreview(text: string): State & { readonly isLooking: boolean } {
  const [state, setState] = useState<State>({})
  useEffect(() => {
    let isOld = false
    const timer = setTimeout(() => {
      postJson<PolicyPreview>('/policy/preview', { text }).then(
        (preview) => !isOld && setState({ of: text, preview }),
        (error: unknown) => !isOld && setState({ of: text, error }),
      )
    }, restMs)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [text])
  return { ...state, isLooking: state.of !== text }
}
