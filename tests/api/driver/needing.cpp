// The library that reach_test needs, and that needs another one.
namespace sortile::testing {

int number_of_needed();

int number_of_needing() {
  return 1 + number_of_needed();
}

} // namespace sortile::testing
