/** Warnings of `alcove check` about routes that still exist after their sunset. */
import { pastSunset } from '../../lib/internal.js'
import { describe } from '../contract/describe.js'
import type { Class } from '../declare/metadata.js'
import type { ReportedWarning } from './json/report.js'

/**
 * Warns of each route of an application that still exists after its sunset. The check does not fail for such a route, because it would
 * otherwise fail from one day to the next without any change of the application.
 */
export function warnOfSunsets(App: Class, warn: (warning: ReportedWarning) => void): void {
  const now = Date.now()
  for (const { methods, url, isAutomatic, place, deprecation } of routesOf(App)) {
    const sunset = isAutomatic || deprecation === undefined ? undefined : pastSunset(deprecation, now)
    if (sunset === undefined) continue
    const message = `${methods.join(', ')} ${url} (${place}) is still there after its sunset, ${sunset}. Remove the route, or write a later sunset.`
    warn({ source: 'wiring', code: 'past-sunset', message })
  }
}

function routesOf(App: Class): ReturnType<typeof describe>['routes'] {
  try {
    return describe(App).routes
  } catch {
    // The server refuses schemas or options of the application. The boot and --contract report that, with the options of the server.
    return []
  }
}
