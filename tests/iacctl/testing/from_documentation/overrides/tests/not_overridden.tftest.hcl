# Without the override the data source is read, and there is no such state.
run "reads" {
}
