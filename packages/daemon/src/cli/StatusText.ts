/** What `treemarkd status` and `treemarkd account show` print for people. */
import type { AccountView, StatusView } from "../admin/AdminApi.ts"
import { facts } from "./Text.ts"

export const statusText = (status: typeof StatusView.Type): string =>
  facts([
    ["running", `version ${status.version}, process ${status.pid}, since ${status.startedAt}`],
    ["profile", status.profile],
    ["data folder", status.home],
    ...Object.entries(status.addresses)
  ])

export const accountText = (view: typeof AccountView.Type): string =>
  facts([
    ["account", `${view.name} (${view.id})${view.closed ? ", closed" : view.disabled ? ", disabled" : ""}`],
    ["service", view.serviceName],
    ["wallet", view.wallet],
    ["credits", view.credits]
  ])
