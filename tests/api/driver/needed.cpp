// A library that reach_test needs only through another one, so that it comes after the dynamic linker in the list of
// libraries although it is there from the start.
namespace sortile::testing {

int number_of_needed() {
  return 1;
}

} // namespace sortile::testing
