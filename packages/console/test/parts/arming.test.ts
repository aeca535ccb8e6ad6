import { describe, expect, it } from 'vitest'
import { armAnew, armingMs, isArmed, nothingArmed, withVisibility } from '../../src/parts/time/use-arming.js'

const inSight = withVisibility(nothingArmed, true, 0)

describe('arming', () => {
  it('is not armed before half a second has passed since the call was shown', () => {
    const arming = armAnew(inSight, 'one', 1_000)
    expect(isArmed(arming, 'one', 1_000)).toBe(false)
    expect(isArmed(arming, 'one', 1_000 + armingMs - 1)).toBe(false)
    expect(isArmed(arming, 'one', 1_000 + armingMs)).toBe(true)
    expect(armingMs).toBe(500)
  })

  it('begins anew when what is shown has changed, and not when it is shown again as it was', () => {
    const arming = armAnew(inSight, 'one', 1_000)
    expect(isArmed(armAnew(arming, 'one', 1_400), 'one', 1_500)).toBe(true)
    expect(isArmed(armAnew(arming, 'one, changed', 1_400), 'one, changed', 1_500)).toBe(false)
  })

  it('says nothing of another call than the one that is armed', () => {
    const arming = armAnew(inSight, 'one', 1_000)
    expect(isArmed(arming, 'another', 9_000)).toBe(false)
    expect(isArmed(armAnew(inSight, '', 1_000), '', 9_000)).toBe(false)
  })

  it('is not armed in a window that nobody looks at, and begins anew when somebody does', () => {
    const away = withVisibility(armAnew(inSight, 'one', 1_000), false, 5_000)
    expect(isArmed(away, 'one', 9_000)).toBe(false)
    const back = withVisibility(away, true, 9_000)
    expect(isArmed(back, 'one', 9_400)).toBe(false)
    expect(isArmed(back, 'one', 9_500)).toBe(true)
  })

  it('goes on where the window was looked at all along', () => {
    const arming = armAnew(inSight, 'one', 1_000)
    expect(isArmed(withVisibility(arming, true, 1_400), 'one', 1_500)).toBe(true)
  })
})
