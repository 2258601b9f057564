{{- define "parley.name" -}}
{{ if contains "parley" .Release.Name }}{{ .Release.Name | trunc 50 }}{{ else }}{{ printf "%s-parley" .Release.Name | trunc 50 }}{{ end }}
{{- end }}

{{- define "parley.selector" -}}
app.kubernetes.io/name: parley
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end }}

{{- define "parley.labels" -}}
{{ include "parley.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "parley.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "parley.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "parley.security" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- /* What the server and the migrations both are told. */ -}}
{{- define "parley.env" -}}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.database.secret }}, key: {{ .Values.database.key }} } }
- name: PARLEY_SECRET_KEY
  valueFrom: { secretKeyRef: { name: {{ .Values.secretKey.secret }}, key: {{ .Values.secretKey.key }} } }
{{- with .Values.redis.secret }}
- name: REDIS_URL
  valueFrom: { secretKeyRef: { name: {{ . }}, key: {{ $.Values.redis.key }} } }
{{- end }}
- name: PARLEY_URL
  value: {{ .Values.url | quote }}
{{- with .Values.files.bucket }}
{{- if .name }}
- name: PARLEY_S3_BUCKET
  value: {{ .name | quote }}
- name: PARLEY_S3_REGION
  value: {{ .region | quote }}
{{- with .endpoint }}
- name: PARLEY_S3_ENDPOINT
  value: {{ . | quote }}
{{- end }}
{{- with .prefix }}
- name: PARLEY_S3_PREFIX
  value: {{ . | quote }}
{{- end }}
{{- with .style }}
- name: PARLEY_S3_STYLE
  value: {{ . }}
{{- end }}
{{- with .secret }}
- name: PARLEY_S3_ACCESS_KEY_ID
  valueFrom: { secretKeyRef: { name: {{ . }}, key: access-key-id } }
- name: PARLEY_S3_SECRET_ACCESS_KEY
  valueFrom: { secretKeyRef: { name: {{ . }}, key: secret-access-key } }
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
