import { describe, expect, it } from 'vitest'
import { armingMs, isArmed, looked, nothingArmed, shown } from '../../src/approvals/arming.js'

const inSight = looked(nothingArmed, true, 0)

describe('arming', () => {
  it('is not armed before half a second has passed since the call was shown', () => {
    const arming = shown(inSight, 'one', 1_000)
    expect(isArmed(arming, 'one', 1_000)).toBe(false)
    expect(isArmed(arming, 'one', 1_000 + armingMs - 1)).toBe(false)
    expect(isArmed(arming, 'one', 1_000 + armingMs)).toBe(true)
    expect(armingMs).toBe(500)
  })

  it('begins anew when what is shown has changed, and not when it is shown again as it was', () => {
    const arming = shown(inSight, 'one', 1_000)
    expect(isArmed(shown(arming, 'one', 1_400), 'one', 1_500)).toBe(true)
    expect(isArmed(shown(arming, 'one, changed', 1_400), 'one, changed', 1_500)).toBe(false)
  })

  it('says nothing of another call than the one that is armed', () => {
    const arming = shown(inSight, 'one', 1_000)
    expect(isArmed(arming, 'another', 9_000)).toBe(false)
    expect(isArmed(shown(inSight, '', 1_000), '', 9_000)).toBe(false)
  })

  it('is not armed in a window that nobody looks at, and begins anew when somebody does', () => {
    const away = looked(shown(inSight, 'one', 1_000), false, 5_000)
    expect(isArmed(away, 'one', 9_000)).toBe(false)
    const back = looked(away, true, 9_000)
    expect(isArmed(back, 'one', 9_400)).toBe(false)
    expect(isArmed(back, 'one', 9_500)).toBe(true)
  })

  it('goes on where the window was looked at all along', () => {
    const arming = shown(inSight, 'one', 1_000)
    expect(isArmed(looked(arming, true, 1_400), 'one', 1_500)).toBe(true)
  })
})
