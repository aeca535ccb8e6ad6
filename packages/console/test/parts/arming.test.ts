import { describe, expect, it } from 'vitest'
import { armAnew, armingMs, isArmed, nothingArmed, withVisibility } from '../../src/parts/time/use-arming.js'

const inSight = withVisibility(nothingArmed, true, 0)

describe('arming', () => {
  it('takes half a second after the call was shown', () => {
    const arming = armAnew(inSight, 'one', 1_000)
    expect(isArmed(arming, 'one', 1_000)).toBe(false)
    expect(isArmed(arming, 'one', 1_000 + armingMs - 1)).toBe(false)
    expect(isArmed(arming, 'one', 1_000 + armingMs)).toBe(true)
    expect(armingMs).toBe(500)
  })

  it('restarts if the shown call has changed, and not if it is only shown again', () => {
    const arming = armAnew(inSight, 'one', 1_000)
    expect(isArmed(armAnew(arming, 'one', 1_400), 'one', 1_500)).toBe(true)
    expect(isArmed(armAnew(arming, 'one, changed', 1_400), 'one, changed', 1_500)).toBe(false)
  })

  it('applies only to the call that is armed', () => {
    const arming = armAnew(inSight, 'one', 1_000)
    expect(isArmed(arming, 'another', 9_000)).toBe(false)
    expect(isArmed(armAnew(inSight, '', 1_000), '', 9_000)).toBe(false)
  })

  it('does not happen in an invisible window, and restarts when the window becomes visible', () => {
    const away = withVisibility(armAnew(inSight, 'one', 1_000), false, 5_000)
    expect(isArmed(away, 'one', 9_000)).toBe(false)
    const back = withVisibility(away, true, 9_000)
    expect(isArmed(back, 'one', 9_400)).toBe(false)
    expect(isArmed(back, 'one', 9_500)).toBe(true)
  })

  it('continues if the window was visible all along', () => {
    const arming = armAnew(inSight, 'one', 1_000)
    expect(isArmed(withVisibility(arming, true, 1_400), 'one', 1_500)).toBe(true)
  })
})
