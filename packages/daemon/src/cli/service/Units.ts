/** The texts of a service: a systemd unit of the user, hardened, and a launchd agent. Both run `treemarkd start` and start it again. */

export interface Run {
  /** The Node and the script of this very command: absolute paths. */
  readonly node: string
  readonly script: string
  readonly home: string
}

/** A word of a unit's command line: systemd reads `"`, `\`, `%` and `$` in it. */
const systemdWord = (text: string): string =>
  `"${text.replace(/["\\]/gu, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$")}"`

/** A path in a setting that takes several: spaces are written as escapes. */
const systemdPath = (text: string): string =>
  text.replaceAll("\\", "\\x5c").replaceAll(" ", "\\x20").replaceAll("%", "%%")

export const systemdUnit = ({ home, node, script }: Run): string => `[Unit]
Description=Treemark: a history for every asset
After=network-online.target

[Service]
ExecStart=${[node, script, "start", "--home", home].map(systemdWord).join(" ")}
Restart=on-failure
RestartSec=5
# 64: wrong command line, 78: settings that cannot be used. Starting again would not help.
RestartPreventExitStatus=64 78
TimeoutStopSec=60
UMask=0077
NoNewPrivileges=yes
PrivateTmp=yes
ProtectSystem=strict
ReadWritePaths=${systemdPath(home)}
ProtectKernelTunables=yes
ProtectControlGroups=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6

[Install]
WantedBy=default.target
`

const xml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

export const LABEL = "io.treemark.daemon"

export const launchdAgent = ({ home, node, script }: Run): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${[node, script, "start", "--home", home].map((word) => `    <string>${xml(word)}</string>`).join("\n")}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>5</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  <string>${xml(home)}/treemarkd.log</string>
</dict>
</plist>
`
